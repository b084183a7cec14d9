package jackpot_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"trey/internal/record"
	"trey/jackpot"
)

// Who is shown which events is listed here, from the rules and not from the code. Who
// waits for whom is for those who read the log; what moves the meter is for everybody,
// with all of its fields.
func TestWhoIsShownWhichEvents(t *testing.T) {
	everybody := []string{
		"opened", "contributed", "contributions-reversed", "hit-paid", "hit-reversed", "terms-changed", "adjusted",
		"system-went-down", "system-came-up",
	}
	for _, form := range record.JackpotEvents.Forms() {
		kind := form.Kind
		full := reflect.New(form.Engine).Elem()
		fill(full)
		e := full.Interface().(jackpot.Event)
		if got := jackpot.Redact(e, 0); got != nil {
			t.Errorf("nobody is shown %+v", got)
		}
		if got := jackpot.Redact(e, jackpot.LogReader); !reflect.DeepEqual(got, e) {
			t.Errorf("the log shows %s as %+v", kind, got)
		}
		var want jackpot.Event
		if slices.Contains(everybody, kind) {
			want = e
		}
		// Whose hit waits to be verified, and how that was decided, is not for everybody.
		switch one := want.(type) {
		case jackpot.HitPaid:
			one.Winner, one.Held = "", false
			want = one
		case jackpot.HitReversed:
			one.Payable, one.Clause, one.Approvers = "", "", jackpot.Approvers{}
			want = one
		}
		if got := jackpot.Redact(e, jackpot.Everybody); !reflect.DeepEqual(got, want) {
			t.Errorf("everybody is shown %s as %+v", kind, got)
		}
	}
}

// fill puts something into every field.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.String:
		v.SetString(strings.ToLower(v.Type().Name()))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Uint8:
		v.SetUint(1)
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	}
}

// Everybody sees of a jackpot what it displays and pays. A field that is new is not shown
// before somebody has decided about it.
func TestWhatEverybodySeesOfAJackpot(t *testing.T) {
	var s jackpot.State
	fill(reflect.ValueOf(&s).Elem())
	public := reflect.ValueOf(s.Shown())
	var seen []string
	for i := range public.NumField() {
		if !public.Field(i).IsZero() {
			seen = append(seen, public.Type().Field(i).Name)
			if !reflect.DeepEqual(public.Field(i).Interface(), reflect.ValueOf(s).Field(i).Interface()) {
				t.Errorf("%s is shown otherwise than it is", public.Type().Field(i).Name)
			}
		}
	}
	want := []string{"Opened", "Terms", "NextTerms", "Meter", "Reserve", "HitsPaid", "Undone", "Down", "Registered", "Totals"}
	if !slices.Equal(seen, want) || reflect.ValueOf(s).FieldByName("Rounds").Len() == 0 {
		t.Errorf("everybody sees %q, want %q", seen, want)
	}
}
