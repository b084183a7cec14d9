package main

import (
	"testing"
)

// The time of day is set back and forth, and the house's never goes back and never
// stands still.
func TestTheClockNeverGoesBack(t *testing.T) {
	var day, ran int64
	var jumps []int64
	c := &clock{read: func() (int64, int64) { return day, ran }, jumped: func(byMs int64) { jumps = append(jumps, byMs) }}
	for _, step := range []struct{ day, ran, want int64 }{
		{5_000, 0, 5_000},
		{5_010, 10, 5_010},
		{1_020, 20, 5_020}, // set back by four seconds
		{2_020, 1_020, 6_020},
		{9_030, 1_030, 9_030},            // set right again, and ahead
		{9_029, 1_030, 9_030},            // a millisecond that was rounded
		{9_900, 1_040, 9_900},            // the machine slept
		{400 * mostJumpMs, 1_040, 9_900}, // a reading that cannot be
		{400*mostJumpMs + 5, 1_045, 9_905},
		{9_900, 1_040, 9_900}, // put right again
	} {
		day, ran = step.day, step.ran
		if got := c.nowMs(); got != step.want {
			t.Errorf("at %d, %d ms after the start: %d, want %d", day, ran, got, step.want)
		}
	}
	if len(jumps) != 1 || jumps[0] != 400*mostJumpMs-9_900 {
		t.Errorf("the operator is told of jumps %v", jumps)
	}
	if by := c.notBefore(9_000); by != 0 || c.nowMs() != 9_900 {
		t.Errorf("put on by %d to %d", by, c.nowMs())
	}
	if by := c.notBefore(20_000); by != 10_100 || c.nowMs() != 20_000 {
		t.Errorf("put on by %d to %d", by, c.nowMs())
	}
	day, ran = 9_950, 1_090
	if got := c.nowMs(); got != 20_050 {
		t.Errorf("it goes on from there: %d", got)
	}
}
