package stored_test

import (
	"errors"
	"strings"
	"testing"

	"trey/internal/stored"
)

// paid is the current form of a value. Its record began with amounts in whole units and
// without a currency.
type paid struct {
	To       string
	Cents    int64
	Currency string
}

type (
	paid1 struct {
		To     string `json:"to"`
		Amount int64  `json:"amount"`
	}
	paid2 struct {
		To     string `json:"to"`
		Amount int64  `json:"amount_minor"`
	}
	paid3 struct {
		To       string `json:"to"`
		Amount   int64  `json:"amount_minor"`
		Currency string `json:"currency"`
	}
)

func table() *stored.Table[any] {
	return stored.NewTable(
		"test event",
		stored.Of[any](
			"paid",
			func(e paid) paid3 { return paid3{e.To, e.Cents, e.Currency} },
			paid3.engine,
			stored.From(func(s paid1) paid2 { return paid2{s.To, 100 * s.Amount} }),
			stored.From(func(s paid2) paid3 { return paid3{s.To, s.Amount, "USD"} }),
		),
		stored.Own[any, struct{}]("begun"),
	)
}

func (s paid3) engine() paid { return paid{s.To, s.Amount, s.Currency} }

// Every version is read for ever, each turned into the next; only the newest is written.
func TestOlderVersionsAreRead(t *testing.T) {
	all := table()
	for _, old := range []struct {
		e    stored.Event
		want paid
	}{
		{stored.Event{Kind: "paid", Body: []byte(`{"to":"ann","amount":7}`)}, paid{"ann", 700, "USD"}},
		{stored.Event{Kind: "paid/2", Body: []byte(`{"to":"ann","amount_minor":701}`)}, paid{"ann", 701, "USD"}},
		{stored.Event{Kind: "paid/3", Body: []byte(`{"to":"ann","amount_minor":701,"currency":"SGD"}`)}, paid{"ann", 701, "SGD"}},
	} {
		got, err := all.Read(old.e)
		if err != nil || got != any(old.want) {
			t.Errorf("%s %s is read as %+v, %v", old.e.Kind, old.e.Body, got, err)
		}
		written, err := all.Write(got)
		if err != nil || written.Kind != "paid/3" {
			t.Errorf("%s %s is written as %s, %v", old.e.Kind, old.e.Body, written.Kind, err)
		}
		if again, err := all.Read(written); err != nil || again != got {
			t.Errorf("%s %s comes back as %+v, %v", written.Kind, written.Body, again, err)
		}
	}
	if name := all.Name(paid{}); name != "paid" || stored.Name("paid/3") != name || !all.Has("paid/2") || all.Has("paid/4") {
		t.Errorf("the kind is %s", name)
	}
	forms := all.Forms()
	if len(forms) != 4 || forms[1].Kind != "paid/2" || forms[1].Version != 2 || forms[3].Kind != "begun" {
		t.Errorf("the versions are %+v", forms)
	}
	if latest := all.Versions(); len(latest) != 2 || latest["paid"] != 3 || latest["begun"] != 1 {
		t.Errorf("the latest versions are %v", latest)
	}
}

// What is not known is refused, with what would read it; so is what nobody wrote so.
func TestWhatIsNotKnownIsRefused(t *testing.T) {
	all := table()
	for _, kind := range []string{"paid/4", "paid/1", "taken", ""} {
		if _, err := all.Read(stored.Event{Kind: kind, Body: []byte(`{}`)}); !errors.Is(err, stored.ErrUnknown) || !strings.Contains(err.Error(), "a later version of Trey reads it") || !strings.Contains(err.Error(), `"`+kind+`"`) {
			t.Errorf("%q: %v", kind, err)
		}
	}
	for body, form := range map[string]bool{
		`{"to":"ann","amount":7,"tip":1}`: false, `{"to":"ann","amount":7.5}`: false, ``: false, `{"to":"ann","amount":7}{}`: false,
		`{"amount":7,"to":"ann"}`: true, `{"to":"ann","amount":7} `: true, `{"to":"ann"}`: true, `{"To":"ann","amount":7}`: true,
		`{"to":"ann","to":"ann","amount":7}`: true, `null`: true,
	} {
		_, err := all.Read(stored.Event{Kind: "paid", Body: []byte(body)})
		if err == nil || errors.Is(err, stored.ErrForm) != form {
			t.Errorf("%s: %v", body, err)
		}
		spelled := !strings.Contains(body, `"To"`)
		if _, err := all.Parse("paid", []byte(strings.ReplaceAll(body, "amount", "amount_minor"))); (err == nil) != (form && spelled) {
			t.Errorf("%s is parsed: %v", body, err)
		}
	}
	if _, err := all.Write(7); err == nil {
		t.Error("a number is written as an event")
	}
	defer func() {
		if recover() == nil {
			t.Error("a version that turns into another type than the next one is accepted")
		}
	}()
	stored.Own[any, paid3]("paid", stored.From(func(paid1) paid2 { return paid2{} }))
}

// Whoever names a kind means its newest version, and names no version.
func TestWhatIsSentIsOfTheNewestVersion(t *testing.T) {
	all := table()
	if got, err := all.Parse("paid", []byte(`{"currency":"SGD","amount_minor":701,"to":"ann"}`)); err != nil || got != any(paid{"ann", 701, "SGD"}) {
		t.Errorf("read as %+v, %v", got, err)
	}
	for kind, body := range map[string]string{"paid": `{"to":"ann","amount":7}`, "paid/2": `{"to":"ann","amount_minor":701}`, "paid/3": `{"to":"ann","amount_minor":701,"currency":"SGD"}`} {
		if got, err := all.Parse(kind, []byte(body)); err == nil {
			t.Errorf("%s %s is read as %+v", kind, body, got)
		}
	}
}

// Values of one type are written under the kind that is asked for.
func TestSeveralKindsOfOneType(t *testing.T) {
	all := stored.NewTable("test event", stored.Own[paid1, paid1]("paid"), stored.Own[paid1, paid1]("owed"))
	if e, err := all.WriteAs("owed", paid1{"ann", 7}); err != nil || e.Kind != "owed" || string(e.Body) != `{"to":"ann","amount":7}` {
		t.Errorf("written as %s %s, %v", e.Kind, e.Body, err)
	}
	if e, err := all.WriteAs("given", paid1{}); err == nil {
		t.Errorf("written as %s", e.Kind)
	}
	if e, err := all.Write(paid1{}); err == nil {
		t.Errorf("it could be two kinds, and is written as %s", e.Kind)
	}
}
