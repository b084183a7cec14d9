package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/signal"
	"strings"
	"testing"
	"time"
)

func TestRoundCount(t *testing.T) {
	for text, want := range map[string]roundCount{
		"1": 1, "1000000": 1_000_000, "10_000_000": 10_000_000, "1e9": 1_000_000_000,
		"2.5e6": 2_500_000, "1E3": 1000, "1e+2": 100, "1e15": 1_000_000_000_000_000,
	} {
		var n roundCount
		if err := n.UnmarshalText([]byte(text)); err != nil || n != want {
			t.Errorf("%s: %d, %v", text, n, err)
		}
	}
	for _, text := range []string{
		"", "_", "0", "-1", "1.5", "1e-3", "2e15", "1e999999999", "inf", "nan", "0x10", "1 000", "1,000", "e9", "1e", "ten",
	} {
		var n roundCount
		if err := n.UnmarshalText([]byte(text)); err == nil || !strings.Contains(err.Error(), "such as 1e9") {
			t.Errorf("%q: %d, %v", text, n, err)
		}
	}
}

func TestBar(t *testing.T) {
	var out bytes.Buffer
	now := time.Unix(0, 0)
	b := &bar{to: &out, total: 1_000_000_000, begun: now, now: func() time.Time { return now }}
	now = now.Add(time.Second)
	b.draw(250_000_000)
	now = now.Add(barEvery / 2)
	b.draw(260_000_000) // too soon to draw again
	if got, want := out.String(), "\r\x1b[K 25.0 % [======                  ] 250.0 million rounds/s, 3s left"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	now = now.Add(time.Second)
	b.draw(1_000_000_000)
	b.clear()
	if got := out.String(); !strings.HasSuffix(got, "0s left\r\x1b[K") || !strings.Contains(got, "100.0 % [========================]") {
		t.Errorf("%q", got)
	}

	silent := newBar(&out, 10)
	out.Reset()
	silent.draw(10)
	silent.clear()
	if out.Len() > 0 {
		t.Errorf("drawn where there is no terminal: %q", out.String())
	}
	for rate, want := range map[float64]string{3.2e8: "320.0 million", 14_230: "14.2 thousand", 12: "12"} {
		if got := metric(rate); got != want {
			t.Errorf("%v: %s, want %s", rate, got, want)
		}
	}
}

// Ctrl-C prints what was reached, as far as it is a whole result, and leaves
// with the status that a shell expects.
func TestSimulationIsInterrupted(t *testing.T) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt) // whatever comes too early or too late
	defer signal.Stop(signals)
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	over := make(chan struct{})
	go func() {
		for {
			select {
			case <-over:
				return
			case <-time.After(300 * time.Millisecond):
				_ = self.Signal(os.Interrupt) // again in a moment, if it failed
			}
		}
	}()
	var stdout, stderr bytes.Buffer
	status := run([]string{"sim", "us-3cp", "--rounds", "1e15", "--seed", "4", "--json"}, nil, &stdout, &stderr)
	close(over)
	var r struct{ Rounds, Asked int64 }
	if err := json.Unmarshal(stdout.Bytes(), &r); err != nil {
		t.Fatalf("%v: %s", err, stdout.String())
	}
	if status != exitInterrupted || stderr.Len() > 0 || r.Rounds >= r.Asked || r.Asked != 1_000_000_000_000_000 {
		t.Errorf("status %d, stderr %q, %d rounds of %d", status, stderr.String(), r.Rounds, r.Asked)
	}
}
