package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"trey/internal/drill"
	"trey/internal/notary"
	"trey/internal/store/memory"
	"trey/rules/books"
)

// A result of the dealer school is proven by the key of the house that signed it and by no
// other; without a key that is open. What was changed is found.
func TestVerifySchoolResult(t *testing.T) {
	folder := t.TempDir()
	signer := func(name string) *notary.Notary {
		var disk memory.Disk
		store, err := disk.Open(memory.Faults{})
		if err != nil {
			t.Fatal(err)
		}
		n, err := notary.Begin(filepath.Join(folder, name), store)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	house, other := signer("house"), signer("other")
	b, err := books.Find("fr-p3c")
	if err != nil {
		t.Fatal(err)
	}
	s := drill.Sit(b, "abc", 2)
	r := drill.ResultOf(s, s.Grade(nil), 1_795_359_509_258, 61_500)
	r.Person, r.Typed = 17, "Ann\u202eLee"
	lines := r.Lines()
	signed, err := house.SignStatement(drill.Purpose, lines)
	if err != nil {
		t.Fatal(err)
	}
	elsewhere, err := house.SignStatement("significant", lines)
	if err != nil {
		t.Fatal(err)
	}
	nonsense, err := house.SignStatement(drill.Purpose, "{}\n")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(folder, "result.txt")
	if err := os.WriteFile(file, signed, 0o600); err != nil {
		t.Fatal(err)
	}
	better := strings.Replace(string(signed), `"took_ms":61500`, `"took_ms":1500`, 1)
	for _, test := range []struct {
		name, stdin string
		args        []string
		want        int
		out, err    string
	}{
		{"by its house", "", []string{file, "--key", house.Verifier()}, 0, "result.txt: result of the dealer school: proven\n  house       trey-house/", ""},
		{"by one of two", "", []string{file, "--key", other.Verifier(), "--key", house.Verifier()}, 0, "  took        1m1.5s\n", ""},
		{"whose it is", "", []string{file, "--key", house.Verifier()}, 0, "  typed       Ann\\u202eLee\n  person      #17\n  book        fr-p3c@2007, revision " + strconv.Itoa(b.Revision) + ", declaration " + b.Hash() + "\n  rounds      2, seed abc\n", ""},
		{"by nobody", string(signed), []string{"-"}, 0, "-: result of the dealer school: nothing is wrong; open: signature", ""},
		{"by another house", "", []string{file, "--key", other.Verifier()}, exitFound, "", "result.txt is no result of the dealer school that can be verified: it is not signed by a key that is known"},
		{"changed", better, []string{"-", "--key", house.Verifier()}, exitFound, "", "it is not signed by a key that is known"},
		{"for another purpose", strings.Replace(string(elsewhere), "/significant\n", "/school\n", 1), []string{"-", "--key", house.Verifier()}, exitFound, "", "is no result of the dealer school"},
		{"signed and none", string(nonsense), []string{"-", "--key", house.Verifier()}, exitFound, "", "its form is"},
		{"cut off", string(signed[:len(signed)-30]), []string{"-"}, exitFound, "", "is no result of the dealer school"},
		{"long", "a/school\n" + strings.Repeat("x", maxResultBytes), []string{"-"}, exitFound, "", "more than 16384 bytes"},
		{"JSON", "", []string{file, "--format", "json", "--key", house.Verifier()}, 0, `"signature": "proven"`, ""},
		{"a key that is none", "", []string{file, "--key", "a+b"}, exitUsage, "", "--key: the key"},
	} {
		var stdout, stderr bytes.Buffer
		got := run(append([]string{"verify"}, test.args...), strings.NewReader(test.stdin), &stdout, &stderr)
		if got != test.want || !strings.Contains(stdout.String(), test.out) || !strings.Contains(stderr.String(), test.err) {
			t.Errorf("%s: exit status %d, want %d\n%s%s", test.name, got, test.want, stdout.String(), stderr.String())
		}
	}
}
