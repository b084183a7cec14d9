package load

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// Report is the result of a run.
type Report struct {
	Tables int `json:"tables"`
	Seats  int `json:"seats"`
	// Doors is how many machines beside the one that writes had the players.
	Doors   int     `json:"doors,omitempty"`
	Pace    string  `json:"pace"`
	Seconds float64 `json:"seconds"`

	Rounds int64 `json:"rounds"`
	// Commands are those of the players that were acknowledged as durable,
	// Transactions all that the house recorded, its own commands included.
	Commands     int64 `json:"commands"`
	Transactions int64 `json:"transactions"`
	// Messages are those that all streams together brought.
	Messages              int64   `json:"messages"`
	RoundsPerSecond       float64 `json:"rounds_per_second"`
	CommandsPerSecond     float64 `json:"commands_per_second"`
	TransactionsPerSecond float64 `json:"transactions_per_second"`
	MessagesPerSecond     float64 `json:"messages_per_second"`
	// LatencyMs is how long a command took: where the table has a clock from the
	// moment for which it was intended, however long it had to wait to be sent.
	LatencyMs Latency        `json:"latency_ms"`
	Errors    map[string]int `json:"errors"`
	// HouseProcessors, DoorProcessors and LoadProcessors are how many processors were busy
	// with the process that writes, with all doors and with the load.
	HouseProcessors float64  `json:"house_processors,omitempty"`
	DoorProcessors  float64  `json:"door_processors,omitempty"`
	LoadProcessors  float64  `json:"load_processors"`
	Machine         *Machine `json:"machine,omitempty"`
	Alone           *Alone   `json:"alone,omitempty"`
	Memory          *Memory  `json:"memory,omitempty"`
	Record          *Record  `json:"record,omitempty"`

	// Compared is how many players' accounts were held against the house's, and
	// Jackpots how many meters.
	Compared int `json:"compared"`
	// Decks is how many rounds had the seed that the house had committed itself to
	// before the bets, with a random one of the table's first player in the shuffle.
	Decks    int `json:"decks"`
	Jackpots int `json:"jackpots"`
	// Differences are whatever does not agree: none is what it should be.
	Differences []string `json:"differences"`
}

// Latency holds the latencies of commands in milliseconds: half of them, all but one in a
// hundred, all but one in a thousand took no longer.
type Latency struct {
	P50  float64 `json:"p50"`
	P99  float64 `json:"p99"`
	P999 float64 `json:"p99_9"`
}

// Memory is the memory of the house's process in bytes: with its tables and before the
// seats were taken, at most while they were played, and the difference by seat.
type Memory struct {
	Before  int64 `json:"before"`
	Most    int64 `json:"most"`
	PerSeat int64 `json:"per_seat"`
}

// Record describes the house's record where the run can read it. Bytes are those of its file,
// zero where it is in a database.
type Record struct {
	Bytes         int64   `json:"bytes"`
	Rounds        int     `json:"rounds"`
	BytesPerRound float64 `json:"bytes_per_round"`
	// Audited is how many transactions the auditor followed.
	Audited int64 `json:"audited"`
	// BarePerSecond is what the store commits when it is given the same
	// transactions by nobody but a loop, and Ratio what part of it the house
	// reached: its Transactions a second.
	BarePerSecond float64 `json:"bare_per_second"`
	Ratio         float64 `json:"ratio"`
}

// differ notes something that does not agree.
func (r *Report) differ(format string, args ...any) {
	r.Differences = append(r.Differences, fmt.Sprintf(format, args...))
}

// maxTold bounds the differences that are printed.
const maxTold = 20

// Print writes the report for people.
func (r *Report) Print(w io.Writer) {
	fmt.Fprintf(w, "%d tables, %d seats, pace %s, %.1f s\n\n", r.Tables, r.Seats, r.Pace, r.Seconds)
	row := func(what, format string, args ...any) {
		fmt.Fprintf(w, "  %-22s "+format+"\n", append([]any{what}, args...)...)
	}
	row("rounds", "%.1f/s, %d in all", r.RoundsPerSecond, r.Rounds)
	row("commands", "%.0f/s, %d in all, each acknowledged when durable", r.CommandsPerSecond, r.Commands)
	row("transactions", "%.0f/s, the house's own included", r.TransactionsPerSecond)
	row("messages", "%.0f/s over %d streams", r.MessagesPerSecond, r.Seats)
	row("a command took", "p50 %.2f ms, p99 %.2f ms, p99.9 %.2f ms", r.LatencyMs.P50, r.LatencyMs.P99, r.LatencyMs.P999)
	if r.HouseProcessors > 0 {
		doors := ""
		if r.Doors > 0 {
			doors = fmt.Sprintf(", %.2f with %d doors", r.DoorProcessors, r.Doors)
		}
		row("processors", "%.2f busy with the house%s, %.2f with the load", r.HouseProcessors, doors, r.LoadProcessors)
		if r.TransactionsPerSecond > 0 {
			row("a transaction cost", "the house %.0f µs of a processor", 1e6*r.HouseProcessors/r.TransactionsPerSecond)
		}
	}
	if m := r.Machine; m != nil {
		row("the machine", "%d processors, %.2f busy with what else it does, %.2f taken by its host", m.Processors, m.Elsewhere, m.Taken)
	}
	if a := r.Alone; a != nil && a.Commands > 0 {
		row("left alone for", "%.0f s, and then of %d commands p50 %.2f ms, p99 %.2f ms, p99.9 %.2f ms", a.Seconds, a.Commands, a.LatencyMs.P50, a.LatencyMs.P99, a.LatencyMs.P999)
	}
	if m := r.Memory; m != nil {
		row("memory", "%.1f KB a seat: %.0f MB with them, %.0f MB before", float64(m.PerSeat)/1024, float64(m.Most)/(1<<20), float64(m.Before)/(1<<20))
	}
	if rec := r.Record; rec != nil {
		if rec.Bytes > 0 {
			row("record", "%.1f KB a round, %.0f MB in all", rec.BytesPerRound/1024, float64(rec.Bytes)/(1<<20))
		}
		if rec.BarePerSecond > 0 {
			row("the bare store", "%.0f transactions/s; the house reached %.2f of it", rec.BarePerSecond, rec.Ratio)
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(r.Errors)) {
		row("errors", "%d of %s", r.Errors[kind], kind)
	}
	fmt.Fprintln(w)
	audited := ""
	if r.Record != nil {
		audited = fmt.Sprintf(", and the auditor followed %d transactions", r.Record.Audited)
	}
	if len(r.Differences) == 0 {
		fmt.Fprintf(w, "Everything agrees: %d players' own accounts with the ledger, %d jackpots with their meters%s.\n", r.Compared, r.Jackpots, audited)
		return
	}
	fmt.Fprintf(w, "Of %d players' accounts and %d jackpots this does not agree%s:\n", r.Compared, r.Jackpots, audited)
	for _, d := range r.Differences[:min(maxTold, len(r.Differences))] {
		fmt.Fprintln(w, "  "+strings.ReplaceAll(d, "\n", "\n  "))
	}
	if more := len(r.Differences) - maxTold; more > 0 {
		fmt.Fprintf(w, "  and %d more\n", more)
	}
}

func dollars(cents int64) string {
	sign := ""
	if cents < 0 {
		sign, cents = "-", -cents
	}
	return fmt.Sprintf("%s$%d.%02d", sign, cents/100, cents%100)
}
