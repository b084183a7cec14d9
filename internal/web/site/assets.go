package site

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

//go:embed *.css *.js *.svg
var files embed.FS

// assets are the style sheets, modules and pictures of the whole site. Their
// addresses hold a hash over all of them, so that a browser may keep them for
// ever, and modules import each other by their plain names.
type assets struct {
	stamp string
	all   map[string]*asset
}

type asset struct {
	kind string
	body []byte
	// packed is the body compressed, when it is first asked for.
	packed func() []byte
}

var kinds = map[string]string{
	".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml",
}

// styleSheet holds all style sheets in one, in the order of the sections: a page needs one
// request for them.
const styleSheet = "style.css"

// darkSheet is a style sheet that stands by itself: the colours in the dark, which a
// page may not need.
const darkSheet = "dark.css"

// pageSheet ends the name of a style sheet that only those pages load which list it
// among their sheets.
const pageSheet = ".page.css"

// cssComment is a comment of a style sheet: who reads the file has it, and no browser needs it.
var cssComment = regexp.MustCompile(`(?s)/\*.*?\*/\n?`)

// newAssets reads the files of all sections. The first one's style sheet comes
// first.
func newAssets(sections ...fs.FS) *assets {
	a := &assets{all: map[string]*asset{}}
	var style bytes.Buffer
	for _, section := range sections {
		names, err := fs.Glob(section, "*")
		if err != nil {
			panic(describe("assets", err))
		}
		for _, name := range names {
			kind, ok := kinds[path.Ext(name)]
			if !ok {
				continue
			}
			body, err := fs.ReadFile(section, name)
			if err != nil {
				panic(describe("assets", err))
			}
			if path.Ext(name) == ".css" {
				body = cssComment.ReplaceAll(body, nil)
				if name != darkSheet && !strings.HasSuffix(name, pageSheet) {
					style.Write(body)
					continue
				}
			}
			if a.all[name] != nil {
				panic("site: two sections have a file " + name)
			}
			a.all[name] = newAsset(kind, body)
		}
	}
	a.all[styleSheet] = newAsset(kinds[".css"], style.Bytes())

	names := make([]string, 0, len(a.all))
	for name := range a.all {
		names = append(names, name)
	}
	slices.Sort(names)
	hash := sha256.New()
	for _, name := range names {
		hash.Write([]byte(name))
		hash.Write(a.all[name].body)
	}
	a.stamp = hex.EncodeToString(hash.Sum(nil)[:6])
	return a
}

func newAsset(kind string, body []byte) *asset {
	return &asset{kind, body, sync.OnceValue(func() []byte {
		var packed bytes.Buffer
		z, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
		if err != nil {
			panic(describe("gzip", err))
		}
		_, _ = z.Write(body) // into memory, so it cannot fail
		_ = z.Close()
		return packed.Bytes()
	})}
}

func (a *assets) url(name string) string {
	if a.all[name] == nil {
		panic("site: no file " + name)
	}
	return "/assets/" + a.stamp + "/" + name
}

// answer answers with a file. Whoever asks with an old stamp has an old page and
// is given what is here now, but not to keep.
func (a *assets) answer(v *Visit) error {
	file := a.all[v.Request.PathValue("name")]
	if file == nil {
		return v.NotFound()
	}
	h := v.w.Header()
	h.Set("Content-Type", file.kind)
	h.Set("Vary", "Accept-Encoding")
	if v.Request.PathValue("stamp") == a.stamp {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	} else {
		h.Set("Cache-Control", "no-cache")
	}
	body := file.body
	if acceptsGzip(v.Request) {
		if packed := file.packed(); len(packed) < len(body) {
			h.Set("Content-Encoding", "gzip")
			body = packed
		}
	}
	v.sent = true
	_, _ = v.w.Write(body) // whoever has gone away needs no answer
	return nil
}
