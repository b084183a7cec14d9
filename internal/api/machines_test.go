package api

import (
	"context"
	"encoding/json"
	"net/http"
	"reflect"
	"testing"

	"trey/internal/house/machines"
)

// Those who may see how the house runs see its machines, with the lease, and who is gone.
func TestTheMachinesOfTheHouse(t *testing.T) {
	h := machines.House{
		NowMs: 100_000, Lease: &machines.Lease{Node: "n1", Address: "10.0.0.1:80", Epoch: 4, UntilMs: 102_000},
		Machines: []machines.Machine{
			{Node: "n1", Address: "10.0.0.1:80", Version: "v2", Writer: true, Seq: 9, BehindMs: 20, SeenMs: 99_900, Reads: machines.Reads{Tables: 3, Books: map[string]int{"rws-3cp@3": 2}}},
			{Node: "n2", Address: "10.0.0.2:80", Version: "v1", DoorOnly: "no key", Seq: 7, Behind: 2, BehindMs: 900, SeenMs: 90_000},
		},
	}
	s := newSite(t, func(c *Config) {
		c.Machines = func(context.Context) (machines.House, error) { return h, nil }
	})
	for name, may := range map[string]bool{"sue": true, "eye": true, "adm": true, "ann": false, "dan": false, "pat": false, "cas": false, "aud": false, "": false} {
		got := s.get(name, "/api/v1/machines")
		if may != (got.StatusCode == http.StatusOK) {
			t.Errorf("%q: %d %s", name, got.StatusCode, got.text)
		}
	}
	var got, want any
	if err := json.Unmarshal([]byte(s.get("sue", "/api/v1/machines").text), &got); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(`{"now_ms":100000,"machines":[
		{"node":"n1","address":"10.0.0.1:80","role":"writer","version":"v2","reads":{"tables":3,"books":{"rws-3cp@3":2}},"seq":9,"behind":0,"behind_ms":20,"seen_ms":99900,"gone":false},
		{"node":"n2","address":"10.0.0.2:80","role":"door","version":"v1","reads":{"books":null},"seq":7,"behind":2,"behind_ms":900,"seen_ms":90000,"gone":true,"door_only":"no key"}],
		"lease":{"node":"n1","address":"10.0.0.1:80","epoch":4,"until_ms":102000,"held":true}}`), &want); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
}
