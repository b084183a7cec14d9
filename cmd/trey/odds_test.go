package main

import (
	"bytes"
	"strings"
	"testing"

	"trey/internal/steady"
)

// Whatever makes no sense is answered with what is wrong and what to write, on
// standard error, with status 2 and nothing on standard output.
func TestOddsMisuse(t *testing.T) {
	t.Parallel()
	if steady.Raced {
		t.Skip("one goroutine computes: nothing for the race detector, at ten times the cost")
	}
	tests := []struct{ args, want string }{
		{"odds", "which book? Name one of rws-3cp, us-3cp"},
		{"odds rws-3pc", "did you mean rws-3cp?"},
		{"odds us-3cp --bonus TCPB-01", "leave it out, or name sm-3cp"},
		{"odds sm-3cp --bonus TCPB-05", "did you mean TCPB-01?"},
		{"odds sm-3cp --bonus x", "the tables are TCPB-03E, TCPB-04E, TCPB-01, TCPB-02"},
		{"odds us-3cp --meter 5000", "us-3cp has no progressive; leave it out, or name rws-3cp"},
		{"odds rws-3cp --meter -5", "below zero"},
		{"odds rws-3cp --meter=-5", "below zero"},
		{"odds rws-3cp --meter 0", "the reset value is $10,000.00"},
		{"odds rws-3cp --meter much", "is not an amount: write it such as"},
		{"odds rws-3cp --meter 99999999999999999999", "amount too large"},
		{"odds rws-3cp --meter 20000 --wager pair-plus", "add --wager progressive"},
		{"odds rws-3cp --meter --others 2", "the number is missing: write --meter and then it"},
		{"odds rws-3cp --others 20", "there are 0 to 6 others"},
		{"odds rws-3cp --others -1", "there are 0 to 6 others"},
		{"odds rws-3cp --others two", "write a whole number"},
		{"odds us-3cp --others 3", "no bet shown has an Envy Bonus"},
		{"odds rws-3cp --wager pair-plus --others 3", "no bet shown has an Envy Bonus"},
		{"odds rws-3cp --ruling envy_wen_folded=kept", "did you mean envy_when_folded?"},
		{"odds rws-3cp --ruling envy_when_folded", "write envy_when_folded=VALUE, with one of lost, kept"},
		{"odds rws-3cp --ruling envy_when_folded=maybe", "its values are lost, kept"},
		{"odds us-3cp --ruling envy_when_folded=kept", "us-3cp leaves nothing open about envy_when_folded"},
		{"odds rws-3cp --ruling jackpot_terms=5", "state it in a variant file"},
		{"odds rws-3cp --pay pair-plus=40/30/6/4/1/1", "6 pays for a table of 5 rows"},
		{"odds rws-3cp --pay pair-plus=", "write whole numbers"},
		{"odds rws-3cp --pay pair-plus=40/x", `"x" is no pay`},
		{"odds rws-3cp --pay pair-plus=-40/30", "pays are from 0 to 10000000"},
		{"odds rws-3cp --pay pair-plus=20000000", "pays are from 0 to 10000000"},
		{"odds rws-3cp --pay pair-plus=99999999999999999999", "pays are from 0 to 10000000"},
		{"odds rws-3cp --pay pairplus=40", "did you mean pair-plus?"},
		{"odds rws-3cp --pay 40/30", "write WAGER=PAYS"},
		{"odds rws-3cp --pay pair-plus=40/30/6/4/1 --pay pair-plus=35/30/6/4/1", "pair-plus is given twice"},
		{"odds rws-3cp --ruling envy_when_folded=kept --ruling envy_when_folded=lost", "envy_when_folded is given twice"},
		{"sim rws-3cp --pay pair-plus=40 --pay pair-plus=35", "pair-plus is given twice"},
		{"odds rws-3cp --pay progressive=1/2", "pays 100 % of the meter"},
		{"odds mbs-3pictures --pay main=1", "every winning hand must be paid"},
		{"odds rws-3cp --bet -5", "below zero"},
		{"odds rws-3cp --bet 0", "--bet 0 is no bet"},
		{"odds rws-3cp --bet 12.345", "more than two decimals"},
		{"odds rws-3cp --bet 100000000000", "the largest sum there is"},
		{"odds rws-3cp --bet 10 --wager progressive", "the progressive has one size, $5.00"},
		{"odds rws-3cp --wager bonus", "choose from ante-play, pair-plus, progressive"},
		{"odds rws-3cp --wager pairplus", "did you mean pair-plus?"},
		{"odds rws-3cp --format pdf", "choose from text, json, csv, xlsx, html"},
		{"odds rws-3cp --format jsn", "did you mean json?"},
		{"odds rws-3cp --format csv --out x.xlsx", "say one of the two"},
		{"odds rws-3cp --strategy perhaps", "or optimal, always, never"},
		{"odds rws-3cp --wager pair-plus --meter 20000", "add --wager progressive"},
		{"odds joint rws-3cp --stake ante-play=10 --meter 20000", "add --stake progressive=AMOUNT"},
		{"odds session rws-3cp --rounds 9 --stake ante-play=10 --meter 20000", "add --stake progressive=AMOUNT"},
		{"odds rws-3cp --wager pair-plus --strategy always", "--strategy always has no effect"},
		{"odds session rws-3cp --rounds 9 --stake pair-plus=10 --strategy never", "--strategy never has no effect"},
		{"odds mbs-3pictures --strategy always", "nothing to decide"},
		{"odds rws-3cp --variant none.toml", "there is no file none.toml"},
		{"odds hand rws-3cp", "which hand?"},
		{"odds hand rws-3cp Qh 6d", "2 cards: a hand is three"},
		{"odds hand rws-3cp Qh 6d 6d", "6d appears twice"},
		{"odds hand rws-3cp Qh 6d Zz", "is not a card"},
		{"odds hand rws-3cp Qh 6d 4c --seen Qh", "Qh appears twice"},
		{"odds hand rws-3cp Qh 6d 4c --dealer 2c,3c,5c,7c", "the dealer has three"},
		{"odds hand rws-3cp Qh 6d 4c --format csv", "choose from text, json"},
		{"odds joint rws-3cp --stake pair-plus", "write WAGER=AMOUNT"},
		{"odds joint rws-3cp --stake pair-plus=-1", "below zero"},
		{"odds joint rws-3cp --stake pair-plus=1 --stake pair-plus=2", "given twice"},
		{"odds joint rws-3cp --stake progressive=5", "progressive needs Ante beside it (rws-3cp@3 3.8)"},
		{"odds joint rws-3cp --boxes 20", "the table has 1 to 7"},
		{"odds joint rws-3cp --boxes 0", "the table has 1 to 7"},
		{"odds joint rws-3cp --boxes 2 --blind 3", "0 to 2 can be blind"},
		{"odds joint mbs-3pictures --boxes 2 --blind 1", "nothing to decide"},
		{"odds session rws-3cp", "how many rounds?"},
		{"odds session rws-3cp --rounds 0", "a session has 1 to"},
		{"odds session rws-3cp --rounds -7", "a session has 1 to"},
		{"odds session rws-3cp --rounds 100000 --stake ante-play=100000.01 --stake pair-plus=10000.03", "take fewer rounds, or play them by chance with \"trey sim\""},
		{"odds session rws-3cp --rounds 9 --bankroll 0", "plays no round"},
		{"odds session rws-3cp --rounds 9 --bankroll 5", "does not cover a round"},
		{"odds session rws-3cp --rounds 9 --pace fast", "such as 60/h"},
		{"odds session rws-3cp --rounds 9 --boxes 3", "add --pace"},
		{"odds design rws-3cp", "which table?"},
		{"odds design rws-3cp --wager pair-plus", "which house edge?"},
		{"odds design rws-3cp --wager pair-plus --edge 2%..4%", "what may change?"},
		{"odds design rws-3cp --wager pair-plus --edge 4%..2% --range pair=1", "the smaller percentage first"},
		{"odds design rws-3cp --wager pair-plus --edge low --range pair=1", "is no percentage"},
		{"odds design rws-3cp --wager progressive --edge 2%..4% --range pair=1", "no table of odds to 1"},
		{"odds design rws-3cp --wager pair-plus --edge 2%..4% --range pear=1", "did you mean pair?"},
		{"odds design rws-3cp --wager pair-plus --edge 2%..4% --range pair=5..1", "the smaller pay first"},
		{"odds design rws-3cp --wager pair-plus --edge 2%..4% --range pair=1 --range pair=2", "given twice"},
		{"odds strategy mbs-3pictures", "nothing to decide"},
		{"odds strategy rws-3cp --by suit", "choose from hand, rank"},
		{"odds strategy rws-3cp --others 6", "for the Ante alone the other boxes change nothing; add the stakes"},
		{"odds strategy rws-3cp --meter 20000", "for the Ante alone the meter changes nothing; add the stakes"},
		{"odds strategy rws-3cp --stake ante-play=5 --others 6", "no bet shown has an Envy Bonus"},
		{"odds strategy rws-3cp --stake pair-plus=5", "bring no decision: add an Ante"},
		{"odds seen mbs-3pictures", "nothing to decide"},
	}
	if steady.Whole() {
		// The one above is refused for the width of its results, this one for its work, of which
		// two seconds are done before.
		tests = append(tests, struct{ args, want string }{"odds session rws-3cp --rounds 100000 --stake ante-play=100.01 --stake pair-plus=10.03", "take fewer rounds"})
	}
	for _, test := range tests {
		t.Run(test.args, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			got := run(strings.Fields(test.args), strings.NewReader(""), &stdout, &stderr)
			if got != exitUsage || !strings.Contains(stderr.String(), test.want) || stdout.Len() != 0 {
				t.Errorf("status %d, stdout %d bytes, stderr %q; want status %d and %q", got, stdout.Len(), stderr.String(), exitUsage, test.want)
			}
		})
	}
}

// What asks for much is answered, and what asks for too much is refused.
func TestOddsAnswersOrRefuses(t *testing.T) {
	t.Parallel()
	if steady.Raced {
		t.Skip("one goroutine computes: nothing for the race detector, at ten times the cost")
	}
	for _, test := range []struct {
		args string
		want int
	}{
		{"odds rws-3cp --others 6 --format html", 0},
		{"odds sm-3cp --others 6 --ruling envy_own_boxes=yes", 0},
		{"odds rws-3cp --pay pair-plus=10000000/10000000/10000000/10000000/10000000 --bet 1000000000 --wager pair-plus", exitUsage},
		{"odds design rws-3cp --wager pair-plus --edge 2%..4% --range straight-flush=1..1000000 --range three-of-a-kind=1..1000000 --range straight=1..1000", 0},
		{"odds seen rws-3cp", 0},
	} {
		t.Run(test.args, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			if got := run(strings.Fields(test.args), strings.NewReader(""), &stdout, &stderr); got != test.want {
				t.Errorf("status %d, want %d: %s", got, test.want, stderr.String())
			}
		})
	}
}
