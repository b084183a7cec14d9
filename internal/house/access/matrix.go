package access

import (
	"slices"

	"trey/internal/enum"
)

// Permission is one kind of thing that is done in the house.
type Permission uint8

// The permissions. The zero value is none of them, and nobody has it.
const (
	_ Permission = iota
	// SeeFloor is to see which tables and jackpots there are, and how they stand.
	SeeFloor
	// SeeTable is to see a table's public picture and follow it.
	SeeTable
	// Play is to bet, decide and ask for oneself, and to add a seed of one's own.
	Play
	// SeeOwnAccount permits people to see their own money and the results of their bets.
	SeeOwnAccount

	// EnterBets is to bet and decide for a player, where the book allows it.
	EnterBets
	// DealTable is to drive a table: announce, deal, show, settle, end a wait.
	DealTable
	// ReportIrregularity is to report what went wrong at a table.
	ReportIrregularity
	// AnswerQuestion is to answer what a book leaves to a person; which person,
	// the book says.
	AnswerQuestion
	// RestrictPlay is to hold a player to one position, or an area to fewer bets.
	RestrictPlay
	// SuspendProgressive is to take a progressive out of play at a table, and to
	// put it back.
	SuspendProgressive
	// OpenTable is to open and to close a table.
	OpenTable
	// ChangeRules is to change a table's limits and rules between rounds.
	ChangeRules
	// ReleaseTable is to let a table play on that was stopped by a fault.
	ReleaseTable
	// InstallTable is to put tables on the floor.
	InstallTable
	// DrainHouse is to let no new rounds begin, and to let them begin again.
	DrainHouse

	// MoveAtCage is to take a player's money in and to pay it out.
	MoveAtCage
	// ApproveCage is to approve a movement at the cage beyond the limits of the cashier
	// who asked for it.
	ApproveCage
	// RegisterPlayer is to add a player who can sign in.
	RegisterPlayer
	// ExcludePlayer is to exclude a player from play, and to see what a player has
	// set for that.
	ExcludePlayer
	// ProposeFill is to ask for a table's fill or credit.
	ProposeFill
	// ApproveFill is to approve a fill or credit that somebody else asked for.
	ApproveFill
	// ProposeAdjustment permits people to propose an adjustment of a player's account.
	ProposeAdjustment
	// ApproveAdjustment is to approve that when somebody else asked for it.
	ApproveAdjustment
	// ProposeJackpot is to ask for what people do to a jackpot: adjust it, change
	// its terms, determine the order of hits.
	ProposeJackpot
	// ApproveJackpot is to approve that when somebody else asked for it.
	ApproveJackpot
	// SeeProposals is to see what waits for a second person, and which tables wait
	// for somebody.
	SeeProposals

	// SeeAccounts is to see any account and its movements.
	SeeAccounts
	// ReadReports is to read the reports over tables, money and irregularities.
	ReadReports
	// SeeRatings is to see how much each player bets, and what the house can expect of that.
	SeeRatings
	// SearchRounds is to look up any round that is over.
	SearchRounds
	// ReadLog is to read the whole log of the house.
	ReadLog
	// AuditRecord is to read the record as its leaves commit to it, with the names and the
	// balances beside it.
	AuditRecord

	// ManageUsers is to add users of every role, change their roles, shut them out and give
	// them new passwords; for what [Role.TakesTwo] says, to ask for it.
	ManageUsers
	// ApproveUser is to approve what somebody else asked for about a user or a token.
	ApproveUser
	// ManageTokens is to give machines their tokens and to revoke them.
	ManageTokens
	// SeeMetrics is to see how the house runs: metrics and the details of its
	// health.
	SeeMetrics
	numPermissions
)

// matrix holds the roles that have each permission. Nothing else grants one.
var matrix = [numPermissions]roles{
	// Everybody who is in the house.
	SeeFloor: of(Guest, Player, Dealer, PitSupervisor, ShiftManager, Cashier, Surveillance, Administrator, Auditor),
	SeeTable: of(Guest, Player, Dealer, PitSupervisor, ShiftManager, Cashier, Surveillance, Administrator, Auditor),

	// Those who play, and nobody else: staff have no account.
	Play:          of(Guest, Player),
	SeeOwnAccount: of(Guest, Player),

	// The tables. A supervisor may act as a dealer, by the books.
	EnterBets:          of(Dealer, PitSupervisor, ShiftManager),
	DealTable:          of(Dealer, PitSupervisor, ShiftManager),
	ReportIrregularity: of(Dealer, PitSupervisor, ShiftManager),
	AnswerQuestion:     of(PitSupervisor, ShiftManager),
	// The books give this to the pit manager, whose place the shift manager takes.
	RestrictPlay:       of(ShiftManager),
	SuspendProgressive: of(PitSupervisor, ShiftManager),
	OpenTable:          of(PitSupervisor, ShiftManager),
	ChangeRules:        of(ShiftManager, Administrator),
	ReleaseTable:       of(ShiftManager),
	InstallTable:       of(Administrator),
	DrainHouse:         of(ShiftManager, Administrator),

	// Money. The person who moves it at the cage approves nothing that puts their own count
	// right; the second person is never the administrator.
	MoveAtCage:        of(Cashier),
	ApproveCage:       of(Cashier, ShiftManager),
	RegisterPlayer:    of(Cashier, Administrator),
	ExcludePlayer:     of(PitSupervisor, ShiftManager, Cashier),
	ProposeFill:       of(PitSupervisor, ShiftManager),
	ApproveFill:       of(Cashier, ShiftManager),
	ProposeAdjustment: of(Cashier, ShiftManager),
	ApproveAdjustment: of(ShiftManager),
	ProposeJackpot:    of(PitSupervisor, ShiftManager, Administrator),
	ApproveJackpot:    of(ShiftManager),
	SeeProposals:      of(PitSupervisor, ShiftManager, Cashier, Surveillance, Administrator),

	// The permissions for later review.
	SeeAccounts: of(ShiftManager, Cashier, Surveillance, Auditor),
	ReadReports: of(PitSupervisor, ShiftManager, Cashier, Surveillance, Administrator, Auditor),
	// Players are rated for the people of the pit; the cage and the administrator need no
	// rating for their work.
	SeeRatings:   of(PitSupervisor, ShiftManager, Surveillance, Auditor),
	SearchRounds: of(PitSupervisor, ShiftManager, Surveillance, Auditor),
	ReadLog:      of(ShiftManager, Surveillance, Administrator, Auditor),
	AuditRecord:  of(Auditor),

	// The house itself.
	ManageUsers:  of(Administrator),
	ApproveUser:  of(ShiftManager, Administrator),
	ManageTokens: of(Administrator),
	SeeMetrics:   of(ShiftManager, Surveillance, Administrator),
}

// roles is a set of roles.
type roles uint16

func of(list ...Role) (s roles) {
	for _, r := range list {
		s |= 1 << r
	}
	return s
}

// Can reports whether a role has a permission.
func (r Role) Can(p Permission) bool {
	return r.Valid() && p.Valid() && matrix[p]&(1<<r) != 0
}

// Holders lists the roles that have a permission.
func (p Permission) Holders() []Role {
	return slices.DeleteFunc(Roles(), func(r Role) bool { return !r.Can(p) })
}

var permissionKeys = enum.New("a permission", numPermissions, []string{
	SeeFloor: "see-floor", SeeTable: "see-table", Play: "play", SeeOwnAccount: "see-own-account",
	EnterBets: "enter-bets", DealTable: "deal-table", ReportIrregularity: "report-irregularity",
	AnswerQuestion: "answer-question", RestrictPlay: "restrict-play", SuspendProgressive: "suspend-progressive",
	OpenTable: "open-table", ChangeRules: "change-rules", ReleaseTable: "release-table",
	InstallTable: "install-table", DrainHouse: "drain-house",
	MoveAtCage: "move-at-cage", ApproveCage: "approve-cage", RegisterPlayer: "register-player",
	ExcludePlayer: "exclude-player", ProposeFill: "propose-fill", ApproveFill: "approve-fill",
	ProposeAdjustment: "propose-adjustment", ApproveAdjustment: "approve-adjustment",
	ProposeJackpot: "propose-jackpot", ApproveJackpot: "approve-jackpot", SeeProposals: "see-proposals",
	SeeAccounts: "see-accounts", ReadReports: "read-reports", SeeRatings: "see-ratings", SearchRounds: "search-rounds", ReadLog: "read-log", AuditRecord: "audit-record",
	ManageUsers: "manage-users", ApproveUser: "approve-user", ManageTokens: "manage-tokens", SeeMetrics: "see-metrics",
})

// permissionWords stand behind "may not".
var permissionWords = [numPermissions]string{
	SeeFloor: "see the floor", SeeTable: "see a table", Play: "play", SeeOwnAccount: "have an account to see",
	EnterBets: "bet or decide for a player", DealTable: "deal at a table",
	ReportIrregularity: "report an irregularity", AnswerQuestion: "answer what the book leaves to the pit",
	RestrictPlay: "restrict players or areas", SuspendProgressive: "suspend or restore a progressive",
	OpenTable: "open or close a table", ChangeRules: "change the rules of a table",
	ReleaseTable: "release a table that was stopped", InstallTable: "put a table on the floor",
	DrainHouse: "drain the house or resume it",
	MoveAtCage: "move money at the cage", ApproveCage: "approve a movement at the cage",
	RegisterPlayer: "register a player", ExcludePlayer: "exclude a player from play",
	ProposeFill: "ask for a fill or credit",
	ApproveFill: "approve a fill or credit", ProposeAdjustment: "ask for an adjustment of an account",
	ApproveAdjustment: "approve an adjustment of an account", ProposeJackpot: "ask for an act on a jackpot",
	ApproveJackpot: "approve an act on a jackpot", SeeProposals: "see what waits for the staff",
	SeeAccounts: "see the accounts of others", ReadReports: "read the reports", SeeRatings: "see the ratings of players",
	SearchRounds: "look up the rounds of others", ReadLog: "read the log of the house", AuditRecord: "audit the record of the house",
	ManageUsers: "manage users", ApproveUser: "approve a change of users", ManageTokens: "manage the tokens of machines",
	SeeMetrics: "see how the house runs",
}

// Permissions lists every permission.
func Permissions() []Permission { return permissionKeys.All() }

// Valid reports whether there is such a permission.
func (p Permission) Valid() bool { return permissionKeys.Has(p) }

// String returns the permission's key, such as "deal-table".
func (p Permission) String() string { return permissionKeys.Key(p) }

// Words says what the permission is for, such as "deal at a table".
func (p Permission) Words() string {
	if !p.Valid() {
		return "do this"
	}
	return permissionWords[p]
}

// MarshalText writes the permission's key.
func (p Permission) MarshalText() ([]byte, error) { return permissionKeys.Marshal(p) }
