// Command bot plays three-card games at the tables of a house, as a program that
// somebody else would write: it uses the standard library and the house's
// interface (docs/api.md) and nothing of this module.
//
//	go run ./cmd/trey serve                   # in one shell: a house
//	go run ./examples/bot                     # in another: ten rounds
//	go run ./examples/bot -table classic-1 -rounds 3
//
// It comes in as a guest, or as the machine whose token is in TREY_TOKEN. It follows
// what happens at its table and comes back by itself where the connection breaks.
// It plays the poker games by the best strategy that there is for one hand without
// knowing others: play with Queen, six and four or better. At Royal Three Pictures
// there is nothing to decide, and it bets on the main wager alone, which costs the
// least. It keeps its own account of its money and holds the house's against it
// after every round.
//
// After its bet it adds a random seed to the shuffle. It keeps the commitment that it saw
// before, and checks after the round that the cards are those of the deck that follows
// from both (docs/fair-dealing.md).
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/signal"
)

func main() {
	house := flag.String("house", "http://127.0.0.1:8080", "where the house is")
	table := flag.String("table", "vegas-1", "at which table to play")
	rounds := flag.Int("rounds", 10, "how many rounds to play")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Stdout, *house, os.Getenv("TREY_TOKEN"), *table, *rounds)
	stop()
	if err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintln(os.Stderr, "bot:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer, house, token, table string, rounds int) error {
	if _, err := url.ParseRequestURI(house); err != nil {
		return fmt.Errorf("-house: %w", err)
	}
	if rounds < 1 {
		return errors.New("-rounds: play one at least")
	}
	c, err := newClient(house, token)
	if err != nil {
		return err
	}
	p := &player{client: c, out: out, table: table, left: rounds}
	return p.play(ctx)
}
