package main

import (
	"fmt"

	"trey/internal/calculator"
)

// settleCommand is the settlement calculator.
type settleCommand struct {
	gameFlag
	JSONL  bool `name:"jsonl" help:"Read and write JSON Lines."`
	Limits bool `help:"Refuse a line with a stake that the table would not have taken: beyond its limits, or not to be laid in its chips."`
}

// Help returns the long help of the command.
func (settleCommand) Help() string {
	return `Each line of standard input is one finished round, of one box or of a whole table; each line of standard output says what its wagers won or lost and by which clause. Amounts are whole minor units: 1000 is 10.00.

Examples:

    $ echo '{"id":"7","player":"Qh 6d 4c","dealer":"Kd 9c 2s","wagers":{"ante":1000,"play":1000}}' |
        trey settle --book rws-3cp --jsonl
    {"id":"7","player_rank":"High card Q-6-4","dealer_rank":"High card K-9-2","qualifies":true,"lines":[...],"net":-2000}

    $ trey settle --book mbs-3pictures --jsonl < rounds.jsonl > settled.jsonl

    $ trey settle --variant high-limit.toml --jsonl < rounds.jsonl > settled.jsonl

A whole table has one dealer and a list of boxes; the Envy Bonus is worked out between them:

    {"dealer":"Kd 9c 2s","boxes":[
      {"player":"Ah Kh Qh","wagers":{"ante":1000,"play":1000,"progressive":500}},
      {"player":"Qs 6d 4c","wagers":{"ante":1000,"progressive":500},"folded":true}]}

(on one line). The answer then has "boxes" in the same order, each with its lines and its net, and their sum as "net".

The keys of a line, of which it has those that apply:

    id           a string or number that the answer repeats as it is
    player       the player's three cards, such as "Qh 6d 4c"
    dealer       the dealer's three cards
    wagers       the stakes: {"ante":1000,"play":1000,"pair-plus":500}
    folded       true if the hand was folded; it has no play stake then
    meter        the displayed jackpot, needed if AKQ of spades wins it
    others       hands of other boxes that count for the Envy Bonus
    pay          other pays to 1, best hand first: {"pair-plus":"40/30/6/4/1"}
    bonus_table  the pay table of the Bonus bet: "TCPB-01", "TCPB-02",
                 "TCPB-03E" or "TCPB-04E"
    boxes        the boxes of a whole table, each with player, wagers, folded,
                 an id of its own, and owner: boxes of one owner bring each
                 other no Envy Bonus, unless the ruling envy_own_boxes says so

A key that means nothing in the book is refused, such as meter where there is no progressive.

In the answer "result" is win, lose, push or returned, "pays" is the winnings without the stake, "returned" is all that comes back, and "net" is the sum of returned less the stakes. Without --limits stakes are settled as they are given. With --variant they are settled as its tables do it: what lies above a maximum goes back where the book says so (rws-3cp@3 5.1.1), and a Progressive bet has the one size that the variant prescribes. With --limits a line is refused instead whose bets the table would not have taken.

A bad line is answered with {"id":"7","error":"...","line":12}, and reading goes on; the exit status is then 1.`
}

// Run settles standard input.
func (cmd *settleCommand) Run(s *streams) error {
	v, remarks, err := cmd.load()
	if err != nil {
		return err
	}
	if !cmd.JSONL {
		return usageError{fmt.Errorf("settle reads and writes JSON Lines: say --jsonl")}
	}
	if cmd.Variant == "" {
		v = calculator.Terms(v.Book)
	}
	printRemarks(s, remarks)
	settler := calculator.New(v)
	if cmd.Limits {
		if err := settler.CheckLimits(); err != nil {
			return usageError{fmt.Errorf("--limits: %w", err)}
		}
	}
	tally, err := settler.Stream(s.in, s.rawOut)
	if err != nil {
		return err
	}
	if tally.Bad > 0 {
		fmt.Fprintf(s.err, "trey: %d of %d lines could not be settled\n", tally.Bad, tally.Lines)
		return errReported
	}
	return nil
}
