// Package jackpot keeps a linked progressive jackpot: the meter that grows with
// every Progressive bet, the reserve above its ceiling, and the order in which
// hands on different tables are paid from it.
//
// It is pure. [Decide] takes a [State] and a [Command] and returns the events
// that follow, or a [*Refusal]; [Evolve] takes a State and an [Event] and
// returns the next State. Neither reads a clock, draws a random number or
// changes its arguments. [Replay] over the stored events gives the same State
// again, and every State says by [State.Audit] whether its money adds up.
//
// # The identity
//
// At every moment, and after every event:
//
//	meter   = opening + contributions - overflow - taken back + reseeds - paid + adjustments
//	reserve = opening + overflow - taken back - released at a reseed + adjustments
//
// The terms stand in [Totals]. Amounts are whole minor units. A contribution
// that is not a whole number of them leaves a remainder, which the State
// carries as an exact fraction to the next bet, so that nothing is rounded away.
//
// # Choices
//
// The rule book (rws-3cp@3) leaves some of this open. What is chosen here:
//
//   - A hit is paid what [State.Displayed] shows at the moment of its payment
//     (4.9.1). Bets accepted while it waited are in that figure, for the first
//     winner and for each one after that.
//   - A hit whose payment was collected again, because of an error that has been put
//     right, is paid that sum again ([State.Due]): it was won with what was displayed
//     then, and what bets have added since stays for the next one. If another hit has
//     taken the meter in between, the house pays it.
//   - At a hit the house pays in the whole reset value, and the reserve is laid
//     on top of it as far as the ceiling allows ([OverflowOnTop]). The reserve is
//     made of players' bets; if it paid for the reset value, the house would
//     gain what the players put in. [OverflowFirst] is there for an operator
//     whose approved terms say otherwise.
//   - A returned bet takes its contribution back to the last fraction: first
//     from what overflowed since the last hit, then from the meter, but never
//     below the reset value. If the jackpot was paid since the bet was placed,
//     its contribution went to the winner, whose payment stands; the house then
//     makes it good rather than the players whose bets feed the meter now.
//   - While the system is down the displayed value is the one registered before
//     (5.17.1). If returned bets have lowered the meter below it meanwhile, the
//     house adds the difference to a payment. A bet that lay there when the betting
//     was closed and is found then adds nothing to that value: what does not fit below
//     it goes to the reserve. A hit paid after the system is up again is paid what is
//     displayed then.
//   - New terms wait for the next hit: a player who sees a rate, a ceiling or a
//     bet keeps it until the jackpot in play is won.
//
// # What is not here
//
// Hands, pay tables and the fixed Minor Progressive pays belong to the table. So
// do Envy Bonuses: they are fixed sums, settled with the round by the rules of
// its book, and never touch the meter. Accounts belong to the ledger, and the
// time of each event to the log that stores it.
package jackpot
