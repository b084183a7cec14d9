package house

import "testing"

// The record names the key that signs since it was replaced, until the house goes on under a tree
// with a key of its own.
func TestTheSigningKeyOfARecord(t *testing.T) {
	var w Whereabouts
	for _, step := range []struct {
		event OwnEvent
		want  string
	}{
		{Arrived{}, ""},
		{SigningKeyReplaced{Key: "h+2+k", Before: "h+1+k"}, "h+2+k"},
		{Moved{}, "h+2+k"},
		{Arrived{}, "h+2+k"},
		{SigningKeyReplaced{Key: "h+3+k", Before: "h+2+k"}, "h+3+k"},
		{Restored{}, ""},
	} {
		if w.apply(step.event); w.SigningKey != step.want {
			t.Errorf("after %T it is %q, want %q", step.event, w.SigningKey, step.want)
		}
	}
	f := &ownFold{}
	for _, e := range []OwnEvent{SigningKeyReplaced{Key: "h+2+k"}, Arrived{}, SigningKeyReplaced{Key: "h+3+k"}} {
		written, err := OwnEvents.Write(e)
		if err != nil {
			t.Fatal(err)
		}
		f.add(written, e, 1)
	}
	if events := f.inOrder(); len(events) != 2 || events[0].Kind != "arrived" || events[1].Kind != "signing-key-replaced" {
		t.Errorf("what counts is %+v", events)
	}
	written, err := OwnEvents.Write(SigningKeyReplaced{Key: "h+2+k"})
	if err != nil {
		t.Fatal(err)
	}
	for stream, want := range map[string]string{houseStream: "h+2+k", "table:a": ""} {
		tx := &StoredTransaction{Parts: []StreamAppend{{Stream: stream, Events: []Event{written}}}}
		if key, err := SigningKeyIn(tx); err != nil || key != want {
			t.Errorf("in %s it is %q, %v", stream, key, err)
		}
	}
}
