package web_test

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"golang.org/x/mod/sumdb/note"

	"trey/internal/house/proof"
	"trey/internal/steady"
	"trey/internal/tree"
)

// aLog is a log of a house, grown as the test wants, with its key.
type aLog struct {
	testing.TB
	signer note.Signer
	key    string
	leaves []tree.Hash
	// kind is the text of the leaves that prove appends; empty is leaf.
	kind string
}

func newLog(t testing.TB, name string) *aLog {
	t.Helper()
	private, public, err := note.GenerateKey(rand.Reader, name)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := note.NewSigner(private)
	if err != nil {
		t.Fatal(err)
	}
	return &aLog{TB: t, signer: signer, key: public}
}

// grow appends leaves up to a size.
func (l *aLog) grow(size int, what string) {
	for n := len(l.leaves); n < size; n++ {
		l.leaves = append(l.leaves, tree.LeafHash(fmt.Appendf(nil, "%s %d", what, n)))
	}
}

// nodes returns those of the tree, worked out from the leaves each time.
func (l *aLog) nodes(level int, from int64, count int) ([]tree.Hash, error) {
	row := l.leaves
	for range level {
		var above []tree.Hash
		for len(row) >= tree.Width {
			e := &tree.Edge{}
			for _, h := range row[:tree.Width] {
				e.Add(h)
			}
			above, row = append(above, e.Head().Root), row[tree.Width:]
		}
		row = above
	}
	return row[from : from+int64(count)], nil
}

func (l *aLog) head() tree.Head {
	e := &tree.Edge{}
	for _, h := range l.leaves {
		e.Add(h)
	}
	return e.Head()
}

// prove returns a document with a proof that a leaf of this log commits to a text. The text is
// the record of round 1 at table A, which ended at 1,000,000 ms.
func (l *aLog) prove(document, committed string, leaf int64) string {
	l.leaves = nil
	l.grow(22, cmp.Or(l.kind, "leaf"))
	var opening proof.Opening
	section := tree.Commit(opening.Salt, proof.Section("table:A", 1, proof.Digest([]byte(committed))))
	l.leaves[leaf] = tree.LeafHash(tree.Leaf(leaf, 1_000_000, tree.Content([]tree.Hash{opening.Rest, section})))
	hashes, err := tree.Nodes(l.nodes).Inclusion(leaf, int64(len(l.leaves)))
	if err != nil {
		l.Fatal(err)
	}
	p := tree.Proof{Extra: opening.Extra(), Leaf: leaf, Hashes: hashes, Note: l.checkpoint()}
	text, err := json.Marshal(p.String())
	if err != nil {
		l.Fatal(err)
	}
	return document + `,"proof":` + string(text) + "}\n"
}

func (l *aLog) checkpoint() string {
	signed, err := note.Sign(&note.Note{Text: tree.CheckpointText(l.signer.Name(), l.head())}, l.signer)
	if err != nil {
		l.Fatal(err)
	}
	return string(signed)
}

// served returns the files that the house serves under /log/, by path, in base64.
func (l *aLog) served() map[string]string {
	all := map[string]string{"/log/key": l.key + "\n", "/log/checkpoint": l.checkpoint()}
	size := int64(len(l.leaves))
	for level := 0; size>>(tree.Height*level) > 0; level++ {
		for n := int64(0); n*tree.Width < size>>(tree.Height*level); n++ {
			text, err := tree.Nodes(l.nodes).Tile(level, n, size)
			if err != nil {
				l.Fatal(err)
			}
			path := fmt.Sprintf("/log/tile/%d/%03d", level, n)
			if width := len(text) / 32; width < tree.Width {
				path += fmt.Sprintf(".p/%d", width)
			}
			all[path] = string(text)
		}
	}
	for path, text := range all {
		all[path] = base64.StdEncoding.EncodeToString([]byte(text))
	}
	return all
}

// logFromStorage has the pages of a tab take what is under /log/ from what the test puts
// into the browser's storage.
const logFromStorage = `const askedForLog = window.fetch;
	window.fetch = async (address, options) => {
		if (!String(address).startsWith("/log/")) return askedForLog(address, options);
		const given = JSON.parse(localStorage.getItem("served") ?? "{}")[String(address)];
		return given === undefined ? new Response("", {status: 404}) : new Response(Uint8Array.from(atob(given), (c) => c.charCodeAt(0)));
	};`

func serve(t *testing.T, ctx context.Context, served map[string]string) {
	t.Helper()
	text, err := json.Marshal(served)
	if err != nil {
		t.Fatal(err)
	}
	do(t, ctx, chromedp.Evaluate(fmt.Sprintf(`localStorage.setItem("served", %s)`, quoted(string(text))), nil))
}

// That a tree begins with a smaller one, the page works out from tiles as package tlog
// does, for trees of many sizes; another root is found.
func TestConsistencyInTheBrowser(t *testing.T) {
	t.Parallel()
	ctx, _ := checking(t, "en")
	l := newLog(t, "trey-house/test")
	l.grow(600, "leaf")
	type asked struct {
		Old, Now         string
		OldRoot, NowRoot string
		Path             []string
	}
	var all []asked
	hexOf := func(h tree.Hash) string { return fmt.Sprintf("%x", h[:]) }
	for _, now := range []int64{1, 2, 3, 7, 8, 255, 256, 257, 300, 511, 512, 513, 600} {
		for _, old := range []int64{1, 2, 3, 6, 8, 200, 255, 256, 257, 512, 600} {
			if old > now {
				continue
			}
			before, err := tree.Nodes(l.nodes).At(old)
			if err != nil {
				t.Fatal(err)
			}
			after, err := tree.Nodes(l.nodes).At(now)
			if err != nil {
				t.Fatal(err)
			}
			path, err := tree.Nodes(l.nodes).Consistency(old, now)
			if err != nil {
				t.Fatal(err)
			}
			one := asked{Old: fmt.Sprint(old), Now: fmt.Sprint(now), OldRoot: hexOf(before.Root), NowRoot: hexOf(after.Root), Path: []string{}}
			for _, h := range path {
				one.Path = append(one.Path, hexOf(h))
			}
			all = append(all, one)
		}
	}
	leaves := make([][]string, 3)
	for level := range leaves {
		for n := 0; n < 600>>(8*level); n++ {
			row, err := l.nodes(level, int64(n), 1)
			if err != nil {
				t.Fatal(err)
			}
			leaves[level] = append(leaves[level], hexOf(row[0]))
		}
	}
	var wrong []string
	run(t, ctx, `async ({all, leaves}) => {
		const {consistent, path} = await import("/assets/test/check-log.js");
		const {hex, unhex} = decks;
		const tile = async (level, n, width) => unhex(leaves[level].slice(Number(n) * 256, Number(n) * 256 + width).join(""));
		const wrong = [];
		for (const one of all) {
			const old = {size: BigInt(one.Old), root: unhex(one.OldRoot)};
			const now = {size: BigInt(one.Now), root: unhex(one.NowRoot)};
			const given = await path(old.size, now.size, tile);
			const what = one.Old + " to " + one.Now;
			if (JSON.stringify(given.map(hex)) !== JSON.stringify(one.Path)) wrong.push(what + " has another path");
			if (!consistent(old, now, given)) wrong.push(what + " is not consistent");
			for (const root of ["old", "now"]) {
				const other = {old, now, [root]: {size: {old, now}[root].size, root: unhex("00".repeat(32))}};
				if (consistent(other.old, other.now, given)) wrong.push(what + ": another root of " + root + " is taken");
			}
			for (let i = 0; i < given.length; i++) {
				if (consistent(old, now, given.with(i, unhex("11".repeat(32))))) wrong.push(what + ": another hash " + i + " is taken");
			}
		}
		return wrong;
	}`, map[string]any{"all": all, "leaves": leaves}, &wrong)
	if len(all) < 60 || len(wrong) > 0 {
		t.Errorf("%d trees: %s", len(all), strings.Join(wrong, "\n"))
	}
}

// The page on which a round is checked names the house that has signed for it. It is the house
// of the page, with the key that this browser knows, another one, or none.
func TestCheckNamesWhoSigned(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	record := samples(t)["settled"]
	key, err := os.ReadFile("../house/proof/testdata/house.pub")
	if err != nil {
		t.Fatal(err)
	}
	var document struct{ Proof string }
	if err := json.Unmarshal([]byte(record), &document); err != nil {
		t.Fatal(err)
	}
	_, signed, _ := strings.Cut(document.Proof, "\n\n")
	b64 := base64.StdEncoding.EncodeToString
	files := map[string]string{"/log/key": b64(key), "/log/checkpoint": b64([]byte(signed))}
	other := newLog(t, "trey-house/other")
	other.grow(5, "leaf")
	namesake := newLog(t, strings.SplitN(string(key), "+", 2)[0])
	namesake.grow(5, "leaf")
	anew := strings.Replace(record, `"steps":[`, `"steps": [`, 1)
	// A house of its own signs a leaf for whatever text it likes.
	forger := newLog(t, "trey-house/forger")
	steps, names := strings.LastIndex(record, `,"steps":[`), strings.LastIndex(record, `,"names":{`)
	moved := record[:steps] + `,"names":{},"software":""` + record[steps:names]
	moved = forger.prove(moved, record[:steps]+"}", 21)
	early := forger.prove(record[:names]+`,"names":{},"software":""`, record[:names]+"}", 9)
	_, rest, _ := strings.Cut(record, `,"proof":`)
	const middle = 60 // characters into the first signature, behind name and number
	_, signature, _ := strings.Cut(signed, " ")
	part := strings.Fields(signature)[1][middle : middle+20]
	forged := strings.Replace(record, part, strings.Repeat("A", len(part)), 1)
	witness, err := os.ReadFile("../house/proof/testdata/witness.pub")
	if err != nil {
		t.Fatal(err)
	}
	_, cosigned, _ := strings.Cut(signed, "\n\u2014 witness.example/w1 ")
	part = cosigned[middle : middle+20]
	miscosigned := strings.Replace(record, part, strings.Repeat("A", len(part)), 1)
	stranger, err := tree.NewCosigner("witness.example/w1", make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	saw := string(witness)
	bytes, err := base64.StdEncoding.DecodeString(strings.Fields(cosigned)[0])
	if err != nil {
		t.Fatal(err)
	}
	sawAt := time.Unix(int64(binary.BigEndian.Uint64(bytes[4:])), 0).UTC().Format("2006-01-02 15:04:05 UTC")
	ctx, address := tab(t)
	do(t, ctx, atStart(logFromStorage), cookies(address, "lang", "en"), chromedp.Navigate(address+"/check"))
	ways := map[string]struct {
		served map[string]string
		text   string
		want   string
		proven bool
		// witness is a key that is entered.
		witness string
	}{
		"this house":          {files, record, "log-in log-signed log-witness log-tiles", true, ""},
		"another house":       {other.served(), record, "log-in log-unknown log-witness", true, ""},
		"another key":         {namesake.served(), record, "log-in log-unknown log-witness", true, ""},
		"a house unsigned":    {nil, record, "log-in log-unknown log-witness", true, ""},
		"another signature":   {files, forged, "log-in log-forged", false, ""},
		"no proof":            {files, strings.Replace(record, rest, "\"\"}\n", 1), "log-none", true, ""},
		"written anew":        {files, anew, "log-differs", false, ""},
		"another record":      {files, strings.Replace(record, `"at_ms":1000000`, `"at_ms":1000001`, 1), "log-differs", false, ""},
		"a witness":           {files, record, "log-in log-signed log-witnessed log-tiles", true, saw},
		"another witness":     {files, record, "log-in log-signed log-unwitnessed log-tiles log-before-unseen", false, stranger.Verifier().String()},
		"another cosignature": {files, miscosigned, "log-in log-signed log-cosignature log-tiles", false, saw},
		"a leaf of its own":   {files, forger.prove(record[:names]+`,"names":{},"software":""`, record[:names]+"}", 21), "log-in log-unknown log-word", true, ""},
		"steps behind names":  {files, moved, "log-differs", false, ""},
		"a leaf before steps": {files, early, "log-differs", false, ""},
		"half a proof":        {files, strings.Replace(record, `\nindex `, `\nindex`, 1), "log-form", false, ""},
	}
	for _, name := range slices.Sorted(maps.Keys(ways)) {
		test := ways[name]
		t.Run(name, func(t *testing.T) {
			do(t, ctx, chromedp.Evaluate(`localStorage.clear(); sessionStorage.clear()`, nil), chromedp.Navigate(address+"/check"))
			serve(t, ctx, test.served)
			var said string
			do(
				t, ctx,
				chromedp.Evaluate(`document.getElementById("check-witness").value = `+quoted(test.witness)+`; document.getElementById("check-text").value = `+quoted(test.text)+`; document.querySelector("[data-paste]").requestSubmit();`, nil),
				chromedp.WaitVisible(fmt.Sprintf("#check-verdict[data-proven=%t]", test.proven)),
				chromedp.Evaluate(`[...document.querySelectorAll("[data-check=log]")].map((e) => e.dataset.sentence).join(" ")`, &said),
			)
			if said != test.want {
				t.Errorf("it says %q, want %q", said, test.want)
			}
			if strings.Contains(test.want, "log-witnessed") {
				do(t, ctx, chromedp.Text(`[data-sentence="log-witnessed"]`, &said))
				if !strings.Contains(said, "witness.example/w1 saw this checkpoint at "+sawAt) {
					t.Errorf("it says %q, want the time %s", said, sawAt)
				}
			}
		})
	}
	// What is no key of a witness is said, and nothing is checked by it.
	var said string
	do(
		t, ctx, chromedp.Navigate(address+"/check"),
		chromedp.Evaluate(`document.getElementById("check-witness").value = `+quoted(string(key))+`; document.getElementById("check-text").value = `+quoted(record)+`; document.querySelector("[data-paste]").requestSubmit();`, nil),
		chromedp.Poll(`document.getElementById("check-fault").textContent`, &said, chromedp.WithPollingTimeout(patience)),
	)
	if !strings.Contains(said, "no key of a witness") {
		t.Errorf("of the key of a house it says %q", said)
	}
}

// The page on which a round is checked holds the checkpoint of the proof against what this browser
// has seen of the house.
func TestCheckFindsARoundOfAnotherHistory(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	house, its, forked := aForkedRound(t)
	ctx, address := tab(t)
	do(t, ctx, atStart(logFromStorage), cookies(address, "lang", "en"), chromedp.Navigate(address+"/check"))
	served := house.served()
	serve(t, ctx, served)
	withheld := maps.Clone(served)
	maps.DeleteFunc(withheld, func(path, _ string) bool { return strings.HasPrefix(path, "/log/tile/") })
	house.grow(30, "leaf")
	grown := house.served()
	for _, test := range []struct {
		text, want string
		proven     bool
		served     map[string]string
	}{
		{its, "log-in log-signed log-word", true, served},
		{forked, "log-in log-signed log-word log-other", false, served},
		{its, "log-in log-signed log-word", true, withheld},
		{its, "log-in log-signed log-word", true, grown},
		{forked, "log-in log-signed log-word log-other", false, grown},
	} {
		serve(t, ctx, test.served)
		var said string
		do(
			t, ctx,
			chromedp.Evaluate(`document.getElementById("check-verdict").hidden = true; document.getElementById("check-text").value = `+quoted(test.text)+`; document.querySelector("[data-paste]").requestSubmit();`, nil),
			chromedp.WaitVisible(fmt.Sprintf("#check-verdict[data-proven=%t]", test.proven)),
			chromedp.Evaluate(`[...document.querySelectorAll("[data-check=log]")].map((e) => e.dataset.sentence).join(" ")`, &said),
		)
		if !strings.Contains(said, test.want) || strings.Contains(said, "log-other") != !test.proven {
			t.Errorf("it says %q, want %q", said, test.want)
		}
	}
}

// The checkpoint before the bets has to be signed by the house of the proof, and the tree has to
// go on from it.
func TestCheckHoldsTheCheckpointBeforeTheBets(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	ctx, _ := checking(t, "en")
	house, another := newLog(t, "trey-house/test"), newLog(t, "trey-house/test")
	elsewhere := newLog(t, "trey-house/before")
	house.grow(300, "leaf")
	early := house.checkpoint()
	another.grow(300, "leaf")
	elsewhere.grow(300, "leaf")
	fork := &aLog{TB: t, signer: house.signer, key: house.key}
	fork.grow(300, "other leaf")
	house.grow(700, "leaf")
	now, atNow := house.served(), house.checkpoint()
	house.grow(900, "leaf")
	late := house.checkpoint()
	forged := early[:len(early)-20] + "AAAA" + early[len(early)-16:]
	for name, test := range map[string]struct{ note, want string }{
		"as it was":           {early, "log-grown proven"},
		"the same":            {atNow, "log-grown proven"},
		"another history":     {fork.checkpoint(), "log-fork failed"},
		"another key":         {another.checkpoint(), "log-before-unknown open"},
		"the tree before":     {elsewhere.checkpoint(), "log-before-other open"},
		"a forged signature":  {forged, "log-before-forged failed"},
		"one that came later": {late, "log-before-forged failed"},
		"none":                {"none", "log-before-forged failed"},
	} {
		var said string
		run(t, ctx, `async ({files, note, key}) => {
			const {checkpoint, key: read} = await import("/assets/test/check-log.js");
			const {before} = await import("/assets/test/check-before.js");
			const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
			const text = (encoded) => new TextDecoder().decode(bytes(encoded));
			const tile = async (level, n, width) => {
				const name = "/log/tile/" + level + "/" + String(n).padStart(3, "0") + (width < 256 ? ".p/" + width : "");
				if (!files[name]) throw new Error(name);
				return bytes(files[name]);
			};
			return (await before(note, checkpoint(text(files["/log/checkpoint"])), read(text(files["/log/key"])), tile)).join(" ");
		}`, map[string]any{"files": now, "note": test.note}, &said)
		if said != test.want {
			t.Errorf("%s: it says %q, want %q", name, said, test.want)
		}
	}
}

// With the key of a witness the page says whether it saw the checkpoint from before the bets.
func TestCheckNamesWhoSawTheCheckpointBeforeTheBets(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	var document struct {
		Proof string
		Seed  struct{ Checkpoint string }
	}
	if err := json.Unmarshal([]byte(samples(t)["settled"]), &document); err != nil {
		t.Fatal(err)
	}
	keys := map[string]string{}
	for _, name := range []string{"house.pub", "witness.pub"} {
		text, err := os.ReadFile("../house/proof/testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		keys[name] = string(text)
	}
	note := document.Seed.Checkpoint
	house, cosigned, _ := strings.Cut(note, "\n\u2014 witness.example/w1 ")
	part := cosigned[60:80] // within the signature
	ctx, address := tab(t)
	do(t, ctx, chromedp.Navigate(address+"/check"))
	for name, test := range map[string]struct{ note, want string }{
		"as it was":         {note, "log-tiles open"},
		"another signature": {strings.Replace(note, part, strings.Repeat("A", len(part)), 1), "log-tiles open log-before-word failed"},
		"nobody saw it":     {house + "\n", "log-tiles open log-before-unseen open"},
	} {
		var said string
		run(t, ctx, `async ({note, proof, house, witness}) => {
			const {key, witnessKey} = await import("/assets/test/check-log.js");
			const {beforeTheBets} = await import("/assets/test/check-before.js");
			const found = await beforeTheBets({proof, seed: {checkpoint: note}}, key(house), async () => { throw new Error("no tile"); }, witnessKey(witness.trim()));
			return found.map((f) => f.sentence + " " + f.result).join(" ");
		}`, map[string]any{"note": test.note, "proof": document.Proof, "house": keys["house.pub"], "witness": keys["witness.pub"]}, &said)
		if said != test.want {
			t.Errorf("%s: it says %q, want %q", name, said, test.want)
		}
	}
}

// The page of a table keeps the newest checkpoint of the house, and says quietly that the next
// one goes on from it. If it does not, the page says so loudly, and keeps the old one.
func TestTheTableKeepsTheCheckpoint(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	f := newFloor(t, unhurried, nil)
	ctx := guestTab(t, f)
	house := newLog(t, "trey-house/test")
	house.grow(300, "leaf")
	do(t, ctx, atStart(logFromStorage), chromedp.Navigate(f.address))
	look := func(served map[string]string) (result, words, role string) {
		t.Helper()
		serve(t, ctx, served)
		do(
			t, ctx, chromedp.Navigate(f.address+"/tables/vegas-1"),
			chromedp.Poll(`document.getElementById("log-check")?.dataset.result`, &result, chromedp.WithPollingTimeout(patience)),
			chromedp.Text("#log-check", &words),
			chromedp.Evaluate(`document.getElementById("log-check").getAttribute("role") ?? ""`, &role),
		)
		return result, words, role
	}
	if result, words, role := look(house.served()); result != "first" || role != "" || !strings.Contains(words, "noted 300 entries") {
		t.Errorf("at first it says %s, as %q: %s", result, role, words)
	}
	house.grow(700, "leaf")
	if result, words, role := look(house.served()); result != "on" || role != "" || !strings.Contains(words, "goes on from what this browser saw of it before: 700 entries") {
		t.Errorf("of a log that has grown it says %s, as %q: %s", result, role, words)
	}
	two := &aLog{TB: t, signer: house.signer, key: house.key}
	two.grow(650, "leaf")
	two.grow(800, "another history")
	stranger := newLog(t, "trey-house/test")
	stranger.leaves = house.leaves
	for what, other := range map[string]*aLog{"two histories": two, "another key": stranger} {
		if result, words, role := look(other.served()); result != "broken" || role != "alert" || !strings.Contains(words, "does not go on") {
			t.Errorf("of %s it says %s, as %q: %s", what, result, role, words)
		}
	}
	house.grow(900, "leaf")
	if result, _, _ := look(house.served()); result != "on" {
		t.Errorf("of the log that it knows it says %s afterwards", result)
	}
	// A new key is followed if one that the browser knows has named it, by another between
	// them too; then the key before signs nothing any more.
	between, next := newLog(t, "trey-house/test"), newLog(t, "trey-house/test")
	next.leaves = house.leaves
	next.grow(950, "leaf")
	names := func(by note.Signer, key string) string {
		t.Helper()
		named, err := note.Sign(&note.Note{Text: "trey key v1\n" + key + "\n"}, by)
		if err != nil {
			t.Fatal(err)
		}
		return string(named)
	}
	following := func(l *aLog, succession ...string) (result string) {
		t.Helper()
		served := l.served()
		served["/log/succession"] = base64.StdEncoding.EncodeToString([]byte(strings.Join(succession, "---\n")))
		result, _, _ = look(served)
		return result
	}
	chain := []string{names(house.signer, between.key), names(between.signer, next.key)}
	wrong := map[string][]string{
		"by itself":         {names(next.signer, next.key)},
		"by a stranger":     {names(stranger.signer, next.key)},
		"by half a chain":   chain[1:],
		"in no note":        {"trey key v1\n" + next.key + "\n"},
		"in a changed note": {strings.Replace(names(house.signer, between.key), between.key, next.key, 1)},
		"for another tree":  {names(house.signer, newLog(t, "trey-house/other").key)},
		"nowhere":           {names(house.signer, between.key)},
	}
	for _, what := range slices.Sorted(maps.Keys(wrong)) {
		if result := following(next, wrong[what]...); result != "broken" {
			t.Errorf("of a new key that is named %s it says %s", what, result)
		}
	}
	if result := following(next, chain...); result != "on" {
		t.Errorf("of a key that the ones before have named it says %s", result)
	}
	house.grow(990, "leaf")
	if result := following(house, chain...); result != "broken" {
		t.Errorf("of the key before the last one it says %s", result)
	}
}

// When a round has ended, the same line says which entry of the signed record it is, and
// says loudly if its proof does not fit.
func TestTheTableShowsThatARoundIsSigned(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	record := samples(t)["settled"]
	key, err := os.ReadFile("../house/proof/testdata/house.pub")
	if err != nil {
		t.Fatal(err)
	}
	var document struct{ Proof string }
	if err := json.Unmarshal([]byte(record), &document); err != nil {
		t.Fatal(err)
	}
	_, signed, _ := strings.Cut(document.Proof, "\n\n")
	f := newFloor(t, unhurried, nil)
	ctx := guestTab(t, f)
	do(t, ctx, atStart(logFromStorage), chromedp.Navigate(f.address))
	serve(t, ctx, map[string]string{"/log/key": base64.StdEncoding.EncodeToString(key), "/log/checkpoint": base64.StdEncoding.EncodeToString([]byte(signed))})
	do(t, ctx, chromedp.Navigate(f.address+"/tables/vegas-1"), chromedp.WaitVisible("#log-check[data-result=first]"))
	for _, test := range []struct{ text, result, want string }{
		{record, "on", "Round 1 is entry 21 of it."},
		{strings.Replace(record, `"at_ms":1000000`, `"at_ms":1000001`, 1), "broken", "The proof of round 1 does not fit its record."},
	} {
		checksRound(t, ctx, test.text, test.result, test.want)
	}
}

// checksRound has the page check the record of a round, and compares the line about the log.
func checksRound(t *testing.T, ctx context.Context, text, result, want string) {
	t.Helper()
	var got, words string
	do(
		t, ctx,
		chromedp.Evaluate(`(async (text) => {
			const [{ checkLog }, { read }] = await Promise.all(["houselog", "check-exact"].map((name) => import("/assets/test/" + name + ".js")));
			await checkLog(read(text), text);
		})(`+quoted(text)+`)`, nil, await),
		chromedp.Evaluate(`document.getElementById("log-check").dataset.result`, &got),
		chromedp.Text("#log-check", &words),
	)
	if got != result || !strings.Contains(words, want) {
		t.Errorf("it says %s: %s; want %s: %s", got, words, result, want)
	}
}

// aForkedRound returns the record of a round as two trees of one house prove it, with the log that
// has the first.
func aForkedRound(t *testing.T) (house *aLog, its, forked string) {
	t.Helper()
	record := samples(t)["settled"]
	head := record[:strings.LastIndex(record, `,"names":{`)]
	house = newLog(t, "trey-house/test")
	fork := &aLog{TB: t, signer: house.signer, key: house.key, kind: "leaf of another history"}
	its = house.prove(head+`,"names":{},"software":""`, head+"}", 21)
	forked = fork.prove(head+`,"names":{},"software":""`, head+"}", 21)
	return house, its, forked
}

// A house could show this browser one tree, and prove the rounds that were played in another.
// The page of the table compares the checkpoint of each proof with what the browser has seen.
func TestTheTableFindsARoundOfAnotherHistory(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	house, its, forked := aForkedRound(t)
	f := newFloor(t, unhurried, nil)
	ctx := guestTab(t, f)
	do(t, ctx, atStart(logFromStorage), chromedp.Navigate(f.address))
	first := house.served()
	serve(t, ctx, first)
	do(t, ctx, chromedp.Navigate(f.address+"/tables/vegas-1"), chromedp.WaitVisible("#log-check[data-result=first]"))
	house.grow(300, "leaf")
	for _, test := range []struct {
		text, result, want string
		served             map[string]string
	}{
		{its, "on", "Round 1 is entry 21 of it.", first},
		{forked, "broken", "does not go on", first},
		{its, "on", "Round 1 is entry 21 of it.", house.served()},
		{forked, "broken", "does not go on", house.served()},
	} {
		serve(t, ctx, test.served)
		checksRound(t, ctx, test.text, test.result, test.want)
	}
}

// A house may show a checkpoint and withhold the tiles that would prove that it goes on from
// the one before. The page does not pass over that: it says that the proof is missing.
func TestTheTableShowsThatTheLogIsKeptBack(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	f := newFloor(t, unhurried, nil)
	ctx := guestTab(t, f)
	house := newLog(t, "trey-house/test")
	house.grow(300, "leaf")
	do(t, ctx, atStart(logFromStorage), chromedp.Navigate(f.address))
	serve(t, ctx, house.served())
	do(t, ctx, chromedp.Navigate(f.address+"/tables/vegas-1"), chromedp.WaitVisible("#log-check[data-result=first]"))
	house.grow(400, "another leaf")
	served := house.served()
	maps.DeleteFunc(served, func(path, _ string) bool { return strings.HasPrefix(path, "/log/tile/") })
	serve(t, ctx, served)
	var words string
	do(t, ctx, chromedp.Navigate(f.address+"/tables/vegas-1"), chromedp.WaitVisible("#log-check[data-result=open]"), chromedp.Text("#log-check", &words))
	if !strings.Contains(words, "300 entries") || !strings.Contains(words, "does not show") {
		t.Errorf("it says %q", words)
	}
}
