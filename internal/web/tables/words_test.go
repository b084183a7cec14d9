package tables

import (
	"testing"

	"trey/internal/house/access"
	"trey/internal/web/lang"
	"trey/table"
)

// The dealer addresses whoever looks, and calls others as the felt does.
func TestAnnouncementsAddressTheReader(t *testing.T) {
	const name = "guest-abcdwxyz"
	said := table.Announced{Key: "one-hand-only", Player: name}
	for _, of := range []struct {
		language lang.Language
		reader   string
		want     string
	}{
		{lang.English, name, "You may examine one hand only; the others are played blind."},
		{lang.English, "ann", "Guest ABCD may examine one hand only; the others are played blind."},
		{lang.Chinese, name, "您只可看一手牌，其余盲打。"},
		{lang.Chinese, "ann", "客人 ABCD 只可看一手牌，其余盲打。"},
	} {
		v := &view{reader: reader{Printer: lang.Printer{Language: of.language}, who: access.Person{Name: of.reader, Role: access.Guest}}}
		if got := v.announced(&said, nil); got != of.want {
			t.Errorf("%s hears %q, want %q", of.reader, got, of.want)
		}
	}
	if said.Player != name || said.Said(table.State{}).Args[0] != name {
		t.Error("what was said has changed")
	}
}
