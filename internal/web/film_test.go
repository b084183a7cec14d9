package web_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	cdpage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"trey/card"
	"trey/table"
)

// frame is one picture of a film and how long it stands.
type frame struct {
	picture []byte
	lastsMs int
}

// chunk writes a part of a WebP file.
func chunk(to *bytes.Buffer, name string, data []byte) {
	to.WriteString(name)
	_ = binary.Write(to, binary.LittleEndian, uint32(len(data)))
	to.Write(data)
	if len(data)%2 == 1 {
		to.WriteByte(0)
	}
}

// image returns the part of a WebP file that holds the picture, with its name and length.
func image(file []byte) ([]byte, error) {
	const head = 12 // RIFF, the length and WEBP
	if len(file) < head || string(file[:4]) != "RIFF" || string(file[8:head]) != "WEBP" {
		return nil, errors.New("not a WebP file: it does not begin as one")
	}
	for rest := file[head:]; len(rest) >= 8; {
		size := int(binary.LittleEndian.Uint32(rest[4:8]))
		size += size % 2
		if len(rest) < 8+size {
			break
		}
		if name := string(rest[:4]); name == "VP8 " || name == "VP8L" {
			return rest[:8+size], nil
		}
		rest = rest[8+size:]
	}
	return nil, errors.New("not a WebP file: it holds no picture")
}

// film joins pictures of one size to an animated WebP that runs again and again.
func film(width, height int, frames []frame) ([]byte, error) {
	three := func(n int) []byte { return []byte{byte(n), byte(n >> 8), byte(n >> 16)} }
	size := append(three(width-1), three(height-1)...)
	var body bytes.Buffer
	body.WriteString("WEBP")
	chunk(&body, "VP8X", append([]byte{2, 0, 0, 0}, size...)) // 2: it moves
	chunk(&body, "ANIM", make([]byte, 6))
	for _, f := range frames {
		picture, err := image(f.picture)
		if err != nil {
			return nil, err
		}
		at := append(make([]byte, 6), size...)
		at = append(append(at, three(f.lastsMs)...), 2) // 2: it takes the place of the last one
		chunk(&body, "ANMF", append(at, picture...))
	}
	var file bytes.Buffer
	chunk(&file, "RIFF", body.Bytes())
	return file.Bytes(), nil
}

// A film of a round, from the bet to what it paid:
//
//	go test ./internal/web -run TestFilm -pictures=../../docs/pictures
func TestFilm(t *testing.T) {
	if *pictures == "" {
		t.Skip("give -pictures=DIR to write a film of a round")
	}
	king, queen, jack := card.New(card.King, card.Diamonds), card.New(card.Queen, card.Spades), card.New(card.Jack, card.Hearts)
	f := newFloor(t, unhurried, seedFor(t, "classic-1", king, queen, jack), "classic-1")
	ctx := guestTab(t, f)
	const width, height, scale = 1280, 800, 0.5
	do(
		t, ctx, inMotion(false), chromedp.EmulateViewport(width, height, chromedp.EmulateScale(scale)), chromedp.Navigate(f.address+"/rules"),
		// A seed of the browser would make it another deck. The hints of a first visit were seen.
		chromedp.Evaluate(`localStorage.setItem("trey-seed-off", "1"); localStorage.setItem("trey-hints", "bet examine raise")`, nil),
	)
	sit(t, ctx, f, "classic-1")
	var frames []frame
	began := time.Now()
	shoot := func() {
		t.Helper()
		var picture []byte
		do(t, ctx, chromedp.ActionFunc(func(ctx context.Context) (err error) {
			picture, err = cdpage.CaptureScreenshot().WithFormat(cdpage.CaptureScreenshotFormatWebp).WithQuality(60).Do(ctx)
			return err
		}))
		if n := len(frames); n > 0 {
			frames[n-1].lastsMs = int(time.Since(began).Milliseconds())
			if bytes.Equal(frames[n-1].picture, picture) {
				return // it stands longer
			}
		}
		began = time.Now()
		frames = append(frames, frame{picture, 100})
	}
	watch := func(long time.Duration) {
		t.Helper()
		for until := time.Now().Add(long); time.Now().Before(until); time.Sleep(110 * time.Millisecond) {
			shoot()
		}
	}
	watch(300 * time.Millisecond)
	do(t, ctx, chromedp.Evaluate(`document.getElementById("chip-2500").click()`, nil), press("do-bet"), chromedp.WaitReady("#do-ready"))
	watch(700 * time.Millisecond)
	do(t, ctx, press("a-4-pair-plus"), chromedp.WaitReady(".has > #a-4-pair-plus"))
	watch(600 * time.Millisecond)
	do(t, ctx, press("do-ready"), phaseOf(f, "classic-1", table.Deciding), chromedp.WaitReady(`[id="do-examine:4"]`))
	watch(1500 * time.Millisecond)
	do(t, ctx, press("do-examine:4"), chromedp.WaitReady("#box-4 .dealt.shown"))
	watch(1700 * time.Millisecond)
	do(t, ctx, press("do-raise:4"), phaseOf(f, "classic-1", table.Paid), chromedp.WaitReady(".strip"))
	watch(6 * time.Second)
	frames[len(frames)-1].lastsMs = 2500
	file, err := film(width*scale, height*scale, frames)
	if err != nil {
		t.Fatal(err)
	}
	if len(file) >= 1_000_000 {
		t.Errorf("the film has %d bytes in %d pictures, not less than 1,000,000", len(file), len(frames))
	}
	// A browser finds as many pictures in it, and can show the last one.
	var decoded int
	do(t, ctx, chromedp.Evaluate(`(async (text) => {
		const decoder = new ImageDecoder({ type: "image/webp", data: Uint8Array.from(atob(text), (c) => c.charCodeAt(0)) });
		await decoder.tracks.ready;
		await decoder.completed;
		const { frameCount } = decoder.tracks.selectedTrack;
		await decoder.decode({ frameIndex: frameCount - 1 });
		return frameCount;
	})("`+base64.StdEncoding.EncodeToString(file)+`")`, &decoded, await))
	if decoded != len(frames) {
		t.Errorf("of %d pictures a browser shows %d", len(frames), decoded)
	}
	t.Logf("%d bytes in %d pictures", len(file), len(frames))
	if err := os.WriteFile(filepath.Join(*pictures, "round.webp"), file, 0o666); err != nil {
		t.Fatal(err)
	}
}
