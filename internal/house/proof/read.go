package proof

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// MaxBytes bounds a record that is read. A round of seven boxes takes some tens
// of thousands.
const MaxBytes = 16 << 20

// maxDepth bounds how deep values lie in each other; those of a record lie less
// than half as deep.
const maxDepth = 32

// Fault is the reason why a text is not read as a record.
type Fault struct {
	// Line counts from 1; zero where Path says it better.
	Line int
	// Path is the place in the document, such as steps[3].by.role.
	Path   string
	Reason string
}

// Error says where and why.
func (f *Fault) Error() string {
	switch {
	case f.Path != "" && f.Line > 0:
		return fmt.Sprintf("line %d, %s: %s", f.Line, f.Path, f.Reason)
	case f.Path != "":
		return f.Path + ": " + f.Reason
	case f.Line > 0:
		return fmt.Sprintf("line %d: %s", f.Line, f.Reason)
	}
	return f.Reason
}

// Read reads a record strictly: JSON of this version as this package writes it, with every
// field that it knows, each once, and no other. Only the white space may differ. An error is a
// [*Fault], or that of the reader. Only [Verify] can decide whether its content is true.
func Read(in io.Reader) (*Round, error) {
	text, err := io.ReadAll(io.LimitReader(in, MaxBytes+1))
	switch {
	case err != nil:
		return nil, err
	case len(text) > MaxBytes:
		return nil, &Fault{Reason: fmt.Sprintf("it is longer than %d bytes, which no round is", MaxBytes)}
	case len(bytes.TrimSpace(text)) == 0:
		return nil, &Fault{Reason: "it is empty"}
	case !utf8.Valid(text):
		return nil, &Fault{Reason: "it is not UTF-8 text"}
	}
	if at := halfCharacter(text); at >= 0 {
		return nil, &Fault{Line: 1 + bytes.Count(text[:at], []byte("\n")), Reason: fmt.Sprintf("%s is half a character", text[at:at+escape])}
	}
	p := &parser{text: text, in: json.NewDecoder(bytes.NewReader(text))}
	p.in.UseNumber()
	all, err := p.value("", 0)
	if err != nil {
		return nil, err
	}
	if _, err := p.in.Token(); !errors.Is(err, io.EOF) {
		return nil, p.fault("", "something stands after the record")
	}
	// The version comes first: what follows may look different in another.
	head, _ := all.(map[string]any)
	if head["type"] != Type {
		return nil, &Fault{Path: "type", Reason: `it is not "` + Type + `", so this is no record of a round`}
	}
	if version := fmt.Sprint(head["version"]); version != fmt.Sprint(Version) {
		return nil, &Fault{Path: "version", Reason: fmt.Sprintf("the record is of version %s; this program reads version %d", version, Version)}
	}
	r := new(Round)
	if err := json.Unmarshal(text, r); err != nil {
		return nil, p.untyped(err)
	}
	if path, why := compare(text, r); why != "" {
		return nil, &Fault{Path: path, Reason: why}
	}
	r.committed, _ = committedText(text) // whose white space or order is another, no leaf commits to
	return r, nil
}

// escape is the length of an escape such as \u00e9.
const escape = 6

// halfCharacter returns where an escape stands for one half of a character beyond the first 65,536
// without the other, -1 where none does: programs read it as different characters.
func halfCharacter(text []byte) int {
	for i := 0; i+escape <= len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		if text[i+1] != 'u' {
			i++ // what is escaped is no escape itself
			continue
		}
		code := func(at int) rune {
			if at+escape > len(text) || text[at] != '\\' || text[at+1] != 'u' {
				return 0
			}
			n, err := strconv.ParseUint(string(text[at+2:at+escape]), 16, 16)
			if err != nil {
				return 0 // which the reader refuses
			}
			return rune(n)
		}
		if first := code(i); utf16.IsSurrogate(first) {
			if utf16.DecodeRune(first, code(i+escape)) == utf8.RuneError {
				return i
			}
			i += escape
		}
		i += escape - 1
	}
	return -1
}

// parser reads JSON into values, with the places of what is wrong.
type parser struct {
	text []byte
	in   *json.Decoder
}

func (p *parser) line(offset int64) int {
	return 1 + bytes.Count(p.text[:min(max(0, int(offset)), len(p.text))], []byte("\n"))
}

func (p *parser) fault(path, reason string) *Fault {
	return &Fault{Line: p.line(p.in.InputOffset()), Path: path, Reason: reason}
}

// untyped returns the fault of a value of the wrong type.
func (p *parser) untyped(err error) *Fault {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return &Fault{Line: p.line(wrong.Offset), Path: strings.TrimPrefix(wrong.Field, "Head."), Reason: fmt.Sprintf("a %s does not belong here", wrong.Value)}
	}
	return &Fault{Reason: err.Error()}
}

// value reads one value, and refuses a field that stands twice: which of the two
// would count is nobody's to choose.
func (p *parser) value(path string, depth int) (any, error) {
	if depth > maxDepth {
		return nil, p.fault(path, "values lie too deep in each other")
	}
	token, err := p.token(path)
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('{'):
		fields := map[string]any{}
		for p.in.More() {
			token, err := p.token(path)
			if err != nil {
				return nil, err
			}
			name, _ := token.(string) // the decoder accepts nothing else here
			at := below(path, name)
			if _, twice := fields[name]; twice {
				return nil, p.fault(at, "it stands there twice")
			}
			if fields[name], err = p.value(at, depth+1); err != nil {
				return nil, err
			}
		}
		_, err := p.token(path)
		return fields, err
	case json.Delim('['):
		items := []any{}
		for p.in.More() {
			item, err := p.value(fmt.Sprintf("%s[%d]", path, len(items)), depth+1)
			if err != nil {
				return nil, err
			}
			items = append(items, item)
		}
		_, err := p.token(path)
		return items, err
	default:
		return token, nil
	}
}

func (p *parser) token(path string) (json.Token, error) {
	token, err := p.in.Token()
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return nil, &Fault{Line: p.line(syntax.Offset), Path: path, Reason: syntax.Error()}
	case err != nil:
		return nil, p.fault(path, "it ends in the middle")
	}
	return token, nil
}

// tree reads JSON into values.
func tree(text []byte) (any, error) {
	p := &parser{text: text, in: json.NewDecoder(bytes.NewReader(text))}
	p.in.UseNumber()
	return p.value("", 0)
}

func below(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// differ returns the first place where two values differ, and how: got is the value that was
// given, want the right one. It returns nothing where they are equal.
func differ(path string, got, want any) (at, why string) {
	switch want := want.(type) {
	case map[string]any:
		got, ok := got.(map[string]any)
		if !ok {
			return path, "it should be an object"
		}
		names := maps.Clone(want)
		maps.Copy(names, got)
		for _, name := range slices.Sorted(maps.Keys(names)) {
			value, here := got[name]
			should, known := want[name]
			switch {
			case !known:
				return below(path, name), "there is no such field, or it is left out where it says nothing"
			case !here:
				return below(path, name), "it is missing"
			}
			if at, why := differ(below(path, name), value, should); why != "" {
				return at, why
			}
		}
	case []any:
		got, ok := got.([]any)
		if !ok {
			return path, "it should be a list"
		}
		for i := range min(len(got), len(want)) {
			if at, why := differ(fmt.Sprintf("%s[%d]", path, i), got[i], want[i]); why != "" {
				return at, why
			}
		}
		if len(got) != len(want) {
			return path, fmt.Sprintf("there are %d of %d", len(got), len(want))
		}
	default:
		if got != want {
			return path, fmt.Sprintf("it is %s and should be %s", short(got), short(want))
		}
	}
	return "", ""
}

// short prints a value so that it fits a line.
func short(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	if len(text) > 80 {
		return string(text[:77]) + "..."
	}
	return string(text)
}

// compare returns where JSON that was recorded differs from a value as this
// program writes it, and how.
func compare(recorded json.RawMessage, v any) (at, why string) {
	text, err := json.Marshal(v)
	if err != nil {
		return "", err.Error()
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, recorded); err != nil {
		return "", err.Error()
	}
	if bytes.Equal(compact.Bytes(), text) {
		return "", ""
	}
	got, err := tree(recorded)
	if err != nil {
		return "", err.Error()
	}
	want, err := tree(text)
	if err != nil {
		return "", err.Error()
	}
	return differ("", got, want)
}
