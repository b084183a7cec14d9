package pit_test

import (
	"testing"

	"trey/internal/house"
	"trey/internal/house/autodealer"
	"trey/internal/house/housetest"
	"trey/internal/web/pit"
	"trey/rules/books"
	"trey/sentence"
	"trey/table"
)

// outspoken is an autodealer with those alerts.
type outspoken struct{ alerts []autodealer.Alert }

func (o outspoken) Alerts() []autodealer.Alert { return o.alerts }

// An alert names no card, whatever the autodealer reports; and a table of which the autodealer
// reports something has no second alert for the same.
func TestAlerts(t *testing.T) {
	b, err := books.Find("us-3cp")
	if err != nil {
		t.Fatal(err)
	}
	asked, err := table.New(b.Standard(), table.Config{Device: b.Devices[0].Device, Cards: table.Virtual})
	if err != nil {
		t.Fatal(err)
	}
	asked.Phase, asked.Round = table.Deciding, 4
	asked.Question = &table.OpenQuestion{Key: table.ConfirmFacts}
	tables := []house.TableStatus{{Table: house.Table{Name: "T1"}, State: housetest.Of(asked)}, {Table: house.Table{Name: "T2"}, State: housetest.Of(asked)}}
	all := pit.Alerts(tables, outspoken{[]autodealer.Alert{{Table: "T1", Round: 4, SinceMs: 7, Why: sentence.Of("%s lies at box 1 and dealer", "Qh")}}})
	want := []struct{ id, why string }{
		{"T1 4 ?? lies at box 1 and dealer", "?? lies at box 1 and dealer"},
		{"T2 4 facts", "Do you confirm the facts of this report?"},
	}
	if len(all) != 2 || all[0].SinceMs != 7 {
		t.Fatalf("the alerts are %+v, want %+v", all, want)
	}
	for i, a := range all {
		if a.ID != want[i].id || a.Why.String() != want[i].why || a.Round != 4 {
			t.Errorf("alert %d is %+v, want %+v", i, a, want[i])
		}
	}
	if at := pit.At("T2", all); len(at) != 1 || at[0].ID != want[1].id {
		t.Errorf("those of T2 are %+v", at)
	}
	if all := pit.Alerts(tables, nil); len(all) != 2 || all[0].ID != "T1 4 facts" {
		t.Errorf("without an autodealer the alerts are %+v", all)
	}
}
