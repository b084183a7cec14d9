package proof_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"

	"trey/internal/house/proof"
	"trey/internal/steady"
	"trey/internal/tree"
	"trey/rules"
	"trey/rules/books"
)

func sample(t testing.TB, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func samples(t testing.TB) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "*.json"))
	if err != nil || len(files) < 5 {
		t.Fatalf("found %v, %v", files, err)
	}
	all := map[string][]byte{}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		all[name] = sample(t, name)
	}
	return all
}

// declaredHere gives up where this program declares the book of a sample otherwise: then it
// proves less of the record, and an altered one passes.
func declaredHere(t testing.TB, name string, text []byte) {
	t.Helper()
	book, err := rules.ReadBook([]byte(read(t, text).Declaration), books.Find)
	if err != nil {
		t.Fatal(err)
	}
	if now, err := books.Find(book.Ref()); err != nil || now.Hash() != book.Hash() {
		t.Fatalf("testdata/%s.json is of another declaration of %s than this program's: after a change of the book, "+
			"go test ./internal/house -run SampleRecords -update writes the samples anew", name, book.Ref())
	}
}

// unsigned returns a record without its proof: what it proves by itself alone.
func unsigned(text []byte) []byte {
	const last = `,"proof":`
	return append(bytes.Clone(text[:bytes.LastIndex(text, []byte(last))]), last+`""}`...)
}

// knowing returns who knows the house of the samples and its witness.
func knowing(t testing.TB) *proof.Verifier {
	t.Helper()
	line := func(name string) string {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	houses, err := proof.Houses(line("house.pub"))
	if err != nil {
		t.Fatal(err)
	}
	witness, err := tree.ParseCosignatureVerifier(line("witness.pub"))
	if err != nil {
		t.Fatal(err)
	}
	return &proof.Verifier{Houses: houses, Witnesses: []*tree.CosignatureVerifier{witness}}
}

func read(t testing.TB, text []byte) *proof.Round {
	t.Helper()
	r, err := proof.Read(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The samples come from real houses: everything about them is proven, except
// where cards from a dealer's hand are concerned.
func TestSamplesAreProven(t *testing.T) {
	for name, text := range samples(t) {
		r := read(t, text)
		report := proof.Verify(r)
		checks := map[proof.Check]proof.Result{}
		for _, f := range report.Findings {
			if f.Result == proof.Failed {
				t.Errorf("%s: %s %s: %s", name, f.Check, f.Where, f.Text)
			}
			checks[f.Check] = f.Result
		}
		want := map[proof.Check]proof.Result{
			proof.Rules: proof.Proven, proof.Course: proof.Proven, proof.Commitment: proof.Proven, proof.Cards: proof.Proven,
			proof.Commands: proof.Proven, proof.Settlement: proof.Proven, proof.Money: proof.Proven, proof.Log: proof.Open,
		}
		byHand := name == "by-hand" || name == "failed" || name == "collected" || name == "held" || name == "remedies" || name == "in-steps" || name == "ceiling"
		if byHand {
			want[proof.Commitment], want[proof.Cards] = proof.Open, proof.Open
		}
		if r.Jackpot != "" {
			want[proof.Jackpot] = proof.Proven
		}
		if !report.Sound || report.Proven || !reflect.DeepEqual(checks, want) {
			t.Errorf("%s: the checks came to %v, want %v", name, checks, want)
		}
		if report := knowing(t).Verify(r); !report.Sound || report.Proven == byHand {
			t.Errorf("%s, whose keys are known: %+v", name, report)
		}
		// The house's pieces are the same text as encoding/json makes of the types.
		var line bytes.Buffer
		if err := json.Compact(&line, text); err != nil {
			t.Fatal(err)
		}
		again, err := json.Marshal(r)
		if err != nil || !bytes.Equal(again, line.Bytes()) {
			t.Errorf("%s: written again it is\n%s\n%v", name, again, err)
		}
	}
}

// The result of a jackpot's round, worked out by hand from the bets. Ann's ante and play of 10
// each win against whatever the dealer had or push, and the ante bonus and the meter are paid.
// The meter had 10,000 and twice 40 % of 5.
func TestTheJackpotOfTheSample(t *testing.T) {
	var paid int64
	for _, s := range read(t, sample(t, "jackpot")).Steps {
		for _, p := range s.Postings {
			if p.For.Reason.String() == "jackpot-paid" {
				paid += int64(p.Amount)
			}
		}
	}
	if paid != 1_000_400 {
		t.Errorf("the jackpot paid %d, want 1000400", paid)
	}
}

// change is one alteration of a document.
type change struct {
	path, what string
	text       []byte
}

// member is a field of an object in a document.
type member struct {
	name  string
	value any
}

// ordered reads a document. Its objects are lists of members, because an event counts only as
// it was written: in another order of its fields each of them would be refused for that alone.
func ordered(t testing.TB, text []byte) any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	token := func() json.Token {
		next, err := d.Token()
		if err != nil {
			t.Fatal(err)
		}
		return next
	}
	var value func() any
	value = func() any {
		switch next := token(); next {
		case json.Delim('{'):
			all := []member{}
			for d.More() {
				name := token().(string)
				all = append(all, member{name, value()})
			}
			token()
			return all
		case json.Delim('['):
			all := []any{}
			for d.More() {
				all = append(all, value())
			}
			token()
			return all
		default:
			return next
		}
	}
	return value()
}

// written writes a document that was read by ordered.
func written(t testing.TB, b []byte, v any) []byte {
	t.Helper()
	switch v := v.(type) {
	case []member:
		b = append(b, '{')
		for i, m := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(written(t, b, m.name), ':')
			b = written(t, b, m.value)
		}
		return append(b, '}')
	case []any:
		b = append(b, '[')
		for i, item := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = written(t, b, item)
		}
		return append(b, ']')
	}
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return append(b, text...)
}

// A document with its members in another order says the same of the round, but is not what its
// leaf commits to.
func TestMembersOfAnyOrderAreRead(t *testing.T) {
	for name, text := range samples(t) {
		root := ordered(t, text).([]member)
		want := *read(t, written(t, nil, root))
		slices.Reverse(root)
		other := *read(t, written(t, nil, root))
		if !reflect.DeepEqual(other.Head, want.Head) || !reflect.DeepEqual(other.Steps, want.Steps) || !reflect.DeepEqual(other.Names, want.Names) {
			t.Errorf("%s: another round is read", name)
		}
		if log := proof.Verify(&other); log.Sound && want.Proof != "" {
			t.Errorf("%s: its leaf is said to commit to other bytes", name)
		}
	}
}

// changes lists one in so many of the documents that differ from one in one place. Every value
// is altered, every field and item is left out, and items are doubled and swapped. It counts
// them all. Unaltered, the document is proven.
func changes(t *testing.T, text []byte, step int) (found []change, all int) {
	t.Helper()
	root := ordered(t, text)
	if report := proof.Verify(read(t, written(t, nil, root))); !report.Sound {
		t.Fatalf("the document is not proven before it is altered: %+v", report.Findings)
	}
	emit := func(path, what string) {
		if all%step == 0 {
			found = append(found, change{path, what, written(t, nil, root)})
		}
		all++
	}
	var walk func(path string, v any, set func(any))
	walk = func(path string, v any, set func(any)) {
		with := func(at, what string, other any) {
			set(other)
			emit(at, what)
			set(v)
		}
		switch v := v.(type) {
		case []member:
			for i := range v {
				at := strings.TrimPrefix(path+"."+v[i].name, ".")
				with(at, "left out", slices.Concat(v[:i], v[i+1:]))
				walk(at, v[i].value, func(other any) { v[i].value = other })
			}
			with(path+".more", "added", slices.Concat(v, []member{{"more", 1}}))
		case []any:
			for i, item := range v {
				at := fmt.Sprintf("%s[%d]", path, i)
				with(at, "left out", slices.Concat(v[:i], v[i+1:]))
				with(at, "doubled", slices.Concat(v[:i+1], v[i:]))
				if i > 0 && !reflect.DeepEqual(v[i-1], item) {
					with(at, "swapped with the one before", slices.Concat(v[:i-1], []any{item, v[i-1]}, v[i+1:]))
				}
				walk(at, item, func(other any) { v[i] = other })
			}
		case json.Number:
			n, err := v.Int64()
			if err != nil {
				t.Fatal(err)
			}
			with(path, "one more", json.Number(fmt.Sprint(n+1)))
			with(path, "negative", json.Number(fmt.Sprint(-n-1)))
		case string:
			step := 1 + len(v)/4
			for i := 0; i < len(v); i += step {
				other := byte('0')
				if v[i] == '0' {
					other = '1'
				}
				with(path, fmt.Sprintf("byte %d altered", i), v[:i]+string(other)+v[i+1:])
			}
			with(path, "longer", v+"x")
		case bool:
			with(path, "the contrary", !v)
		case nil:
			with(path, "something", []any{})
		default:
			t.Fatalf("%s is a %T", path, v)
		}
	}
	walk("", root, func(other any) { root = other })
	if !reflect.DeepEqual(root, ordered(t, text)) {
		t.Fatal("the document was not put back as it was")
	}
	return found, all
}

// What nothing in a record depends on, or what only the house can know, with the
// reason: a pattern of sample, path and alteration.
var unprovable = []struct {
	what, why string
}{
	{`.*: variant, .*`, "what the rules are called; what they are, their hash says"},
	{`.*: (software|names(\..*)?), .*`, "what wrote the record, and what people are called, is its own word"},
	{`.*: seed\.committed\.(seq|at_ms), .*`, "when the commitment was published, whoever saw it knows"},
	{`.*: seed\.checkpoint, .*`, "who signed the checkpoint, the house's key tells"},
	{`.*: steps\[\d+\]\.(seq|at_ms), .*`, "numbers and times of transactions are the house's own; the order of the steps is checked"},
	{`.*: steps\[\d+\]\.by\.name, .*`, "which member of staff gave a command, the table does not ask"},
	{`(jackpot|void|remedies|in-steps): steps\[\d+\]\.meter\..*`, "what a jackpot held before the round, its own record tells"},
	{`held: steps\[3\]\.meter\.terms\.ceiling, .*`, "the ceiling of a jackpot that is far below it, its own record tells"},
	{`(by-hand|collected|remedies): config\.chips, left out`, "that bets lie there as chips matters where others are found than were entered"},
	{`(void: steps\[4\]|withdrawn: steps\[3\]), left out`, "whether cards were dealt in a round of which nothing was decided, because it was void or all took their bets back"},
	{`settled: steps\[0\], left out`, "a seed in the place of which its player put another"},
}

var every = flag.Int("every", steady.Share(181, steady.Tries(61, 31)), "alter one place in so many; 1 is all")

// Each value of the samples is altered, each left out, doubled, swapped: it is
// found, or it is something that no record can prove.
func TestEveryAlterationIsFound(t *testing.T) {
	var excepted []*regexp.Regexp
	for _, u := range unprovable {
		excepted = append(excepted, regexp.MustCompile("^"+u.what+"$"))
	}
	var used [16]atomic.Bool
	step := *every
	if steady.Raced {
		step *= 5
	}
	t.Run("samples", func(t *testing.T) {
		for name, text := range samples(t) {
			declaredHere(t, name, text)
			altered, all := changes(t, unsigned(text), step)
			if all < 300 {
				t.Errorf("%s: only %d alterations", name, all)
			}
			for part := range 4 {
				t.Run(fmt.Sprint(name, part), func(t *testing.T) {
					t.Parallel()
					for i := part; i < len(altered); i += 4 {
						c := &altered[i]
						r, err := proof.Read(bytes.NewReader(c.text))
						if err != nil {
							continue
						}
						report := proof.Verify(r)
						if broken := brokenOff(report); broken != "" {
							t.Errorf("%s, %s: %s", c.path, c.what, broken)
						}
						if !report.Sound {
							continue
						}
						known := slices.IndexFunc(excepted, func(e *regexp.Regexp) bool { return e.MatchString(fmt.Sprintf("%s: %s, %s", name, c.path, c.what)) })
						if known < 0 {
							t.Errorf("%s, %s: nobody noticed", c.path, c.what)
							continue
						}
						used[known].Store(true)
					}
				})
			}
		}
	})
	for i, u := range unprovable {
		if *every == 1 && !used[i].Load() {
			t.Errorf("%s can be proven: take it from the list", u.what)
		}
	}
}

// Numbers of transactions are the house's own, so that an altered one may pass. But no two
// steps have the same, and none is behind a later one or before the commitment.
func TestStepsAreNumberedInOrder(t *testing.T) {
	for name, text := range samples(t) {
		for what, alter := range map[string]func(r *proof.Round, i int){
			"the number of the step before":    func(r *proof.Round, i int) { r.Steps[i].Seq = r.Steps[i-1].Seq },
			"a number behind the step before":  func(r *proof.Round, i int) { r.Steps[i].Seq = r.Steps[i-1].Seq - 1 },
			"the number of the commitment":     func(r *proof.Round, _ int) { r.Steps[0].Seq = committed(r) },
			"a number before the commitment":   func(r *proof.Round, _ int) { r.Steps[0].Seq = committed(r) - 1 },
			"a number at the step without one": func(r *proof.Round, _ int) { r.Steps[len(r.Steps)-1].Seq = r.Steps[len(r.Steps)-2].Seq + 1 },
		} {
			r := read(t, unsigned(text))
			alter(r, len(r.Steps)/2)
			if report := proof.Verify(r); report.Sound {
				t.Errorf("%s, %s: nobody noticed", name, what)
			}
		}
	}
}

// committed returns the transaction that committed to the deck of a round, or 0.
func committed(r *proof.Round) int64 {
	if r.Seed == nil {
		return 0
	}
	return r.Seed.Committed.Seq
}

func TestWhatIsNotRead(t *testing.T) {
	good := string(sample(t, "settled"))
	for name, test := range map[string]struct{ text, want string }{
		"nothing":          {"", "it is empty"},
		"white space":      {" \n", "it is empty"},
		"no JSON":          {"{\n\"type\": round", "line 2, type: invalid character 'r'"},
		"an end too soon":  {good[:len(good)/2], "it ends in the middle"},
		"two records":      {good + good, "something stands after the record"},
		"another document": {`{"type":"round-log","version":1}`, `type: it is not "round-record"`},
		"a list":           {`[1]`, `type: it is not "round-record"`},
		"another version":  {strings.Replace(good, `"version":1`, `"version":2`, 1), "version: the record is of version 2; this program reads version 1"},
		"a field twice":    {strings.Replace(good, `"table":"A"`, `"table":"A","table":"A"`, 1), "line 1, table: it stands there twice"},
		"another case":     {strings.Replace(good, `"table":"A"`, `"Table":"A"`, 1), "Table: there is no such field"},
		"an unknown field": {strings.Replace(good, `"kind":"open-bets"`, `"kind":"open-bets","why":1`, 1), "steps[1].why: there is no such field"},
		"a missing field":  {strings.Replace(good, `"ended":"settled",`, ``, 1), "ended: it is missing"},
		"a wrong type":     {strings.Replace(good, `"round":1,`, `"round":"1",`, 1), "line 1, round: a string does not belong here"},
		"no seed":          {strings.Replace(good, `"seed":{`, `"seed":{"seed":"00",`, 1), "it stands there twice"},
		"no UTF-8":         {strings.Replace(good, `"table":"A"`, "\"table\": \"\xff\"", 1), "it is not UTF-8 text"},
		"a first half":     {strings.Replace(good, `"table":"A"`, `"table":"\ud83cx"`, 1), `line 1: \ud83c is half a character`},
		"a second half":    {strings.Replace(good, `"table":"A"`, `"table":"\\\udca1"`, 1), `\udca1 is half a character`},
		"two first halves": {strings.Replace(good, `"table":"A"`, `"table":"\ud83c\ud83c"`, 1), "is half a character"},
		"both halves":      {strings.Replace(good, `"table":"A"`, `"table":"\ud83c\udca1","table":"A"`, 1), "it stands there twice"},
		"no escape":        {strings.Replace(good, `"table":"A"`, `"table":"\\ud83c","table":"A"`, 1), "it stands there twice"},
		"very deep":        {strings.Repeat("[", 100), "values lie too deep in each other"},
		"very long":        {strings.Repeat(" ", proof.MaxBytes+1), "it is longer than 16777216 bytes"},
	} {
		_, err := proof.Read(strings.NewReader(test.text))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %s", name, err, test.want)
		}
	}
	if _, err := proof.Read(iotest.ErrReader(io.ErrClosedPipe)); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("a reader that fails: %v", err)
	}
	// White space and escapes are nobody's business.
	var one bytes.Buffer
	if err := json.Compact(&one, unsigned([]byte(good))); err != nil {
		t.Fatal(err)
	}
	if r := read(t, one.Bytes()); !proof.Verify(r).Sound {
		t.Error("written in one line it is not proven")
	}
	if r := read(t, bytes.ReplaceAll(unsigned([]byte(good)), []byte(`"void"`), []byte(`"\u0076oid"`))); !proof.Verify(r).Sound {
		t.Error("with escapes it is not proven")
	}
	// But the leaf commits to the bytes.
	if report := proof.Verify(read(t, bytes.Replace([]byte(good), []byte(`"steps":[`), []byte(`"steps": [`), 1))); report.Sound {
		t.Error("with other white space its proof fits")
	}
}

// Whatever is read can be verified, and what was altered is told with its place.
func TestFindingsNameTheirPlace(t *testing.T) {
	good := string(unsigned(sample(t, "settled")))
	hash := regexp.MustCompile(`"rules_hash":".`).FindString(good)
	other := hash[:len(hash)-1] + string("01"[strings.Count(hash[len(hash)-1:], "0")])
	for _, test := range []struct {
		old, new string
		check    proof.Check
		where    string
	}{
		{hash, other, proof.Rules, "terms"},
		{`\"revision\":1,\"ranking\"`, `\"revision\":2,\"ranking\"`, proof.Rules, "terms"},
		{`"commitment":"`, `"commitment":"0000`, 0, ""},
		{`"kind":"raise"`, `"kind":"fold"`, proof.Commands, "steps[9]"},
		{`"amount":1000`, `"amount":1001`, proof.Commands, "steps[2]"},
		{`"from":"player:#3"`, `"from":"player:#4"`, proof.Money, "steps[2].postings"},
		{`\n8\n`, `\n1\n`, proof.Commitment, "seed.checkpoint"},
		{`\n8\n`, `\n9\n`, proof.Commitment, "steps[0].seq"},
		{`\n\n— `, `\n— `, proof.Commitment, "seed.checkpoint"},
	} {
		text := strings.Replace(good, test.old, test.new, 1)
		r, err := proof.Read(strings.NewReader(text))
		if test.check == 0 {
			if err == nil {
				t.Errorf("%s is read", test.new)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", test.new, err)
			continue
		}
		report := proof.Verify(r)
		if report.Sound || !slices.ContainsFunc(report.Findings, func(f proof.Finding) bool {
			return f.Check == test.check && f.Result == proof.Failed && strings.HasPrefix(f.Where, test.where)
		}) {
			t.Errorf("%s: %+v", test.new, report)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, text := range samples(f) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := proof.Read(bytes.NewReader(text))
		if err != nil {
			return
		}
		report := proof.Verify(r)
		if len(report.Findings) == 0 {
			t.Error("nothing was found")
		}
		var again bytes.Buffer
		writer := json.NewEncoder(&again)
		writer.SetEscapeHTML(false) // in what is kept as it was recorded, too, where it says something
		if err := writer.Encode(r); err != nil {
			t.Fatal(err)
		}
		byItself := func(r *proof.Report) (found []proof.Finding) {
			for _, f := range r.Findings {
				if f.Check != proof.Log { // its proof is of other bytes
					found = append(found, f)
				}
			}
			return found
		}
		if same := read(t, again.Bytes()); !reflect.DeepEqual(byItself(proof.Verify(same)), byItself(report)) {
			t.Error("written and read again, other things are found")
		}
	})
}
