package web_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"trey/internal/house"
)

// brokenRecord is a record at which a program of ours breaks that looks for rounds.
type brokenRecord struct {
	house.Store
	breaks atomic.Bool
}

func (r *brokenRecord) Rounds(ctx context.Context, stream string, before, limit int, yield func(house.RoundMark) error) error {
	if r.breaks.Load() {
		panic("the ace As lies where no card can lie")
	}
	return r.Store.Rounds(ctx, stream, before, limit, yield)
}

// A fault of ours while a table is drawn for all its viewers ends their pages and nothing else.
// The house plays on, the log says where it happened and no card, and a viewer who comes back
// sees the table.
func TestAFaultEndsThePagesOfATable(t *testing.T) {
	t.Parallel()
	w := newTwin(t, nil)
	w.install("T1", "us-3cp")
	var log bytes.Buffer
	record := &brokenRecord{Store: w.config.Record}
	w.config.Record, w.config.Log = record, slog.New(slog.NewTextHandler(&log, nil))
	server := w.serve()
	for _, breaks := range []bool{true, false} {
		record.breaks.Store(breaks)
		want := http.StatusOK
		if breaks {
			want = http.StatusInternalServerError
		}
		if status, text := w.ask(server, "", "ann", http.MethodGet, "/tables/T1", nil, ""); status != want {
			t.Errorf("breaks %t: %d %s", breaks, status, text)
		}
	}
	if text := log.String(); !strings.Contains(text, "what pages show broke") || !strings.Contains(text, "stage.go") || strings.Contains(text, " As ") {
		t.Errorf("the log says %s", text)
	}
}
