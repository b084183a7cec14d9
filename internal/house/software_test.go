package house_test

import (
	"errors"
	"slices"
	"testing"

	"trey/internal/house"
)

// Real or play money is set when a record begins. A record of real money does not go on with
// play money, nor the other way round. A record that says nothing of it may be either.
func TestMoneyIsOfTheKindOfTheRecord(t *testing.T) {
	for _, playMoney := range []bool{false, true} {
		s := newSite(t)
		s.install("A", "us-3cp")
		open := func(playMoney bool) *house.House {
			t.Helper()
			if err := s.store.Close(); err != nil {
				t.Fatal(err)
			}
			s.open()
			w := s.world()
			w.PlayMoney = playMoney
			h, _, err := house.Open(ctx(), s.store, w)
			if err != nil {
				t.Fatal(err)
			}
			return h
		}
		for _, either := range []bool{playMoney, !playMoney, playMoney} {
			if err := open(either).CheckMoney(); err != nil {
				t.Errorf("play money %t, in a record that says nothing of it: %v", either, err)
			}
		}
		h := open(playMoney)
		if changed, err := h.CheckSoftware(ctx(), house.Software{Version: "1"}, nil); err != nil || len(changed) > 0 {
			t.Fatal(changed, err)
		}
		if err := h.CheckMoney(); err != nil {
			t.Error(err)
		}
		if err := open(playMoney).CheckMoney(); err != nil {
			t.Errorf("play money %t again: %v", playMoney, err)
		}
		if err := open(!playMoney).CheckMoney(); !errors.Is(err, house.ErrOtherMoney) {
			t.Errorf("play money %t, in a record of the other kind: %v", !playMoney, err)
		}
	}
}

// What the operator has changed in the configuration is named in the next check, and the first
// check after one that knew nothing of it names nothing.
func TestChangedSettingsAreNamed(t *testing.T) {
	s := newSite(t)
	program := house.Software{Version: "1"}
	for _, check := range []struct {
		settings house.Settings
		want     []string
	}{
		{house.Settings{"cage.day": "100", "witnesses": "w"}, nil},
		{house.Settings{"cage.day": "100", "witnesses": "w"}, nil},
		{house.Settings{"cage.day": "101", "witnesses": "w"}, []string{"setting cage.day"}},
		{house.Settings{"cage.day": "101", "guests.max": "2"}, []string{"setting guests.max", "setting witnesses"}},
	} {
		changed, err := s.CheckSoftware(ctx(), program, check.settings)
		if err != nil || !slices.Equal(changed, check.want) {
			t.Errorf("%v: changed are %v, %v; want %v", check.settings, changed, err, check.want)
		}
		s.restart()
	}
	all := ownEvents[house.SoftwareChecked](s)
	if last := all[len(all)-1]; last.Settings["money"] != "play" || last.Settings["guests.max"] != "2" || !slices.Equal(last.Changed, []string{"setting guests.max", "setting witnesses"}) {
		t.Errorf("recorded is %+v", last)
	}
}
