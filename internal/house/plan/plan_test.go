package plan_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/plan"
	"trey/money"
	"trey/rules"
	"trey/rules/books"
	"trey/rules/variant"
	"trey/table"
)

var files = map[string]string{
	"high.toml": "base = \"us-3cp\"\nid = \"high\"\nlimits.ante = { min = \"10\", max = \"50\" }\n",
	"bad.toml":  "base = \"us-3cp\"\nbokses = 3\n",
	"dry.toml":  "base = \"rws-3cp@3\"\n[progressive]\nenabled = false\n",
	"big.toml":  "base = \"rws-3cp@3\"\n[progressive]\nreset = \"50000\"\n",
}

func read(name string) (string, []byte, error) {
	text, ok := files[name]
	if !ok {
		return "", nil, fmt.Errorf("open %s: no such file", name)
	}
	return name, []byte(text), nil
}

func parse(t testing.TB, text string) (*plan.Plan, []plan.Remark) {
	t.Helper()
	p, remarks, err := plan.Parse("house.toml", []byte(text), read)
	if err != nil {
		t.Fatal(err)
	}
	return p, remarks
}

func TestTheDemonstration(t *testing.T) {
	p := plan.Demonstration()
	if !p.PlayMoney || p.Listen != "127.0.0.1:8080" || p.Database != "" || p.Guests != (plan.Guests{Max: 200, Money: 1000 * money.Major}) || p.Users != nil {
		t.Errorf("got %+v", p)
	}
	automatic, driven, linked := map[string]int{}, 0, 0
	for _, one := range p.Tables {
		if _, err := table.New(one.Variant, one.Config); err != nil {
			t.Errorf("%s: %v", one.Name, err)
		}
		if one.Jackpot == "linked" && one.Variant.Book.ID == "rws-3cp" {
			linked++
		}
		if one.Mode == house.DealerRun {
			driven++
			continue
		}
		automatic[one.Variant.Book.ID]++
		if one.Pace != plan.StandardPace {
			t.Errorf("%s has the pace %+v", one.Name, one.Pace)
		}
	}
	if driven != 1 || linked != 2 {
		t.Errorf("%d of a dealer, %d linked", driven, linked)
	}
	for _, b := range books.All() {
		if automatic[b.ID] == 0 {
			t.Errorf("no table runs by itself for %s: put one into internal/house/plan/example.toml", b.ID)
		}
	}
	_, remarks, err := plan.Parse("house.toml", plan.Example(), read)
	if err != nil || remarks != nil {
		t.Errorf("the example: %v, %v", remarks, err)
	}
}

func TestParse(t *testing.T) {
	p, remarks := parse(t, `
listen = "0.0.0.0:443"
https = true
hosts = ["grand.example"]
database = "money.db"

[users.ada]
role = "administrator"
password = "`+hash+`"
[users.ben]
role = "dealer"
password = "`+hash+`"

[pace]
betting = "10s"
[limits.ante]
min = "15"
[jackpots.grand]
bet = "10"
rate = "12.5%"

[tables."High Limit 1"]
variant = "high.toml"
boxes = 3
limits.pair-plus.max = "20"
pace = { decision = "1m", deal = "0s" }

[tables.big]
book = "rws-3cp"
jackpot = "grand"
device = "shoe"
mode = "dealer"
cards = "read"
chips_on_layout = true
limits = { ante = { max = "1000" }, pair-plus = { max = "none" } }
chips = ["5", "25"]
`)
	if p.Listen != "0.0.0.0:443" || !p.HTTPS || !slices.Equal(p.Hosts, []string{"grand.example"}) || p.Database != "money.db" || p.PlayMoney || p.Guests.Max != 0 {
		t.Errorf("got %+v", p)
	}
	if len(p.Users) != 2 || p.Users[0] != (plan.User{Name: "ada", Role: access.Administrator, Hash: hash}) || p.Users[1].Role != access.Dealer {
		t.Errorf("users: %+v", p.Users)
	}
	if len(p.Tables) != 2 {
		t.Fatalf("tables: %+v", p.Tables)
	}
	high, big := p.Tables[0], p.Tables[1]
	if high.Name != "High Limit 1" || high.Mode != house.Automatic || high.Pace != (house.Pace{BettingMs: 10_000, DecisionMs: 60_000, OptionMs: 45_000, ShowMs: 6_000}) {
		t.Errorf("high: %+v", high)
	}
	v := high.Variant
	if v.ID != "high-house" || v.Boxes != 3 || v.Limits[rules.Ante] != (rules.Limit{Min: 10 * money.Major, Max: 50 * money.Major}) || v.Limits[rules.Play] != v.Limits[rules.Ante] {
		t.Errorf("its rules: %s, %d boxes, %+v", v.ID, v.Boxes, v.Limits)
	}
	if v.Limits[rules.PairPlus].Max != 20*money.Major || v.Limits[rules.PairPlus].Min == 0 {
		t.Errorf("one bound changes the other: %+v", v.Limits[rules.PairPlus])
	}
	if big.Config != (table.Config{Device: rules.Shoe, Cards: table.Read, Chips: true}) || big.Mode != house.DealerRun || big.Pace != (house.Pace{}) {
		t.Errorf("big: %+v", big)
	}
	v = big.Variant
	if v.Limits[rules.Ante] != (rules.Limit{Min: 15 * money.Major, Max: 1000 * money.Major}) || len(v.Chips) != 2 {
		t.Errorf("its rules: %+v", v.Limits)
	}
	if want := (rules.JackpotTerms{Bet: 10 * money.Major, Reset: 10_000 * money.Major, RateNum: 1250, RateDen: 10_000, Ceiling: 1_000_000 * money.Major}); *v.Jackpot != want || v.Limits[rules.Progressive].Max != want.Bet || big.Jackpot != "grand" {
		t.Errorf("its jackpot: %+v", *v.Jackpot)
	}
	if len(remarks) != 2 || !strings.HasPrefix(remarks[0].String(), "high.toml:3: the text itself has") || !strings.Contains(remarks[1].Text, "no limits are posted for Pair Plus") {
		t.Errorf("remarks: %v", remarks)
	}
}

const hash = "$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHQ$RdescudvJCsgt3ub+b2dWRWJTmaaJObG"

// provider returns the text of an identity provider.
func provider(issuer, address, role string) string {
	return "[provider]\nissuer = \"" + issuer + "\"\nclient_id = \"trey\"\nclient_secret = \"s\"\naddress = \"" + address + "\"\n[provider.roles]\nx = \"" + role + "\"\n"
}

// Every mistake is told, each at its place, and all of them in one reading.
func TestMistakes(t *testing.T) {
	const good = "\n[tables.a]\nbook = \"us-3cp\"\n"
	tests := []struct{ name, text, want string }{
		{"an unknown key", "lissten = \"x\"" + good, `house.toml:1:1: there is no key "lissten": did you mean listen?`},
		{"another word for standbys", "standbys = \"sure\"" + good, `house.toml:1:12: standbys cannot be "sure": write "seen", or "vouched" where you answer for them`},
		{"nothing like a key", "colour = \"x\"" + good, `house.toml:1:1: there is no key "colour": choose from name, listen, https,`},
		{"a name of two lines", "name = \"The\\nGrand\"" + good, `house.toml:1:8: name: at most 60 letters`},
		{"a name with blanks around it", "name = \" Grand\"" + good, `house.toml:1:8: name: at most 60 letters`},
		{"a name longer than a line", "name = \"" + strings.Repeat("g", 61) + "\"" + good, `house.toml:1:8: name: at most 60 letters`},
		{"an address without a port", "listen = \"localhost\"" + good, `house.toml:1:10: listen: "localhost" is no address to listen at: write one with its port, such as 127.0.0.1:8080`},
		{"a port too high", "listen = \"127.0.0.1:65536\"" + good, `house.toml:1:10: listen: "65536" is no port`},
		{"beyond this machine", "listen = \":8080\"" + good, `house.toml:1:10: listen: :8080 can be reached from other machines, and the house has no users`},
		{"beyond this machine and nobody in charge", "listen = \":8080\"\nhttps = true\n[users.ada]\nrole = \"dealer\"\npassword = \"" + hash + "\"" + good, `house.toml:1:10: listen: :8080 can be reached from other machines, and the house has no administrator`},
		{"a host with its scheme", "hosts = [\"https://trey.example\"]" + good, `house.toml:1:10: hosts: "https://trey.example" is an address and no host name: write "trey.example" alone`},
		{"a host that is no name", "hosts = [\"trey..example\"]" + good, `house.toml:1:10: hosts: "trey..example" is no host name: write one such as trey.example`},
		{"a host with a port that is none", "hosts = [\"trey.example:65536\"]" + good, `house.toml:1:10: hosts: "trey.example:65536" has no port from 1 to 65535`},
		{"a host that is no list", "hosts = \"trey.example\"" + good, `house.toml:1:9: hosts is a text: write a list, such as ["trey.example"]`},
		{"a proxy by name", "proxies = [\"proxy\"]" + good, `house.toml:1:12: proxies: "proxy" is no IP address`},
		{"a second factor for guests", "second_factor = [\"guest\"]" + good, `house.toml:1:18: second_factor: "guest" is no role of a user: choose from player, dealer`},
		{"a provider in clear text", provider("http://login.example", "https://trey.example", "dealer") + good, `house.toml:2:10: provider.issuer: "http://login.example" is no address by https`},
		{"a provider that sends people to a path", provider("https://login.example", "https://trey.example/x", "dealer") + good, `house.toml:5:11: provider.address: write how people reach the house without a path`},
		{"a provider that makes guests", provider("https://login.example", "https://trey.example", "guest") + "y = \"dealer\"" + good, `house.toml:7:5: provider.roles.x: "guest"`},
		{"a provider without a secret", strings.Replace(provider("https://login.example", "https://trey.example", "dealer"), "client_secret = \"s\"", "", 1) + good, `house.toml:1:2: provider has no client_secret`},
		{"a provider without roles", strings.Split(provider("https://login.example", "https://trey.example", "dealer"), "[provider.roles]")[0] + good, `house.toml:1:2: provider has no roles, so that nobody comes in by it`},
		{"a stream in clear text", "[significant_events]\nurl = \"http://siem.example/trey\"" + good, `house.toml:2:7: significant_events.url: http://siem.example/trey would get everything in clear text`},
		{"a stream by what is not", "[significant_events]\nurl = \"ftp://siem.example/trey\"" + good, `house.toml:2:7: significant_events.url cannot be "ftp://siem.example/trey": write an address such as "https://siem.example/trey"`},
		{"a stream to nobody", "[significant_events]\nurl = \"https:///trey\"" + good, `house.toml:2:7: significant_events.url cannot be`},
		{"a stream to a port that is none", "[significant_events]\nurl = \"https://siem.example:65536/trey\"" + good, `house.toml:2:7: significant_events.url cannot be`},
		{"a stream to port 0", "[significant_events]\nurl = \"syslog-tls://siem.example:0\"" + good, `house.toml:2:7: significant_events.url cannot be`},
		{"a provider at a port that is none", provider("https://login.example:70000", "https://trey.example", "dealer") + good, `house.toml:2:10: provider.issuer: "https://login.example:70000" is no address by https`},
		{"a provider at no host", provider("https://:443", "https://trey.example", "dealer") + good, `house.toml:2:10: provider.issuer: "https://:443" is no address by https`},
		{"a stream with a password", "[significant_events]\nurl = \"https://me:secret@siem.example/\"" + good, `house.toml:2:7: significant_events.url cannot be`},
		{"a stream without an address", "[significant_events]\nlate_after = \"5m\"" + good, `house.toml:1:2: significant_events have no url`},
		{"a stream that is late at once", "[significant_events]\nurl = \"https://siem.example/\"\nlate_after = \"0s\"" + good, `house.toml:3:14: significant_events.late_after is zero`},
		{"a stream with no file", "[significant_events]\nurl = \"https://siem.example/\"\nca = \"\"" + good, `house.toml:3:6: significant_events.ca is empty`},
		{"a number for a file", "[significant_events]\nurl = \"https://siem.example/\"\ntoken_file = 7" + good, `house.toml:3:14: significant_events.token_file is a number: write it in quotes, such as "siem.token"`},
		{"a token for syslog", "[significant_events]\nurl = \"syslog-tls://siem.example\"\ntoken_file = \"x\"" + good, `house.toml:3:14: significant_events.token_file: syslog has no token`},
		{"a path for syslog", "[significant_events]\nurl = \"syslog-tls://siem.example/trey\"" + good, `house.toml:2:7: significant_events.url: syslog has a host and a port and no more`},
		{"certificates for no encryption", "[significant_events]\nurl = \"http://127.0.0.1:9000/\"\nca = \"x.pem\"" + good, `house.toml:3:6: significant_events.ca: by http nobody shows a certificate`},
		{"an unknown key of the stream", "[significant_events]\nurll = \"https://siem.example/\"\nurl = \"https://siem.example/\"" + good, `house.toml:2:1: significant_events have no "urll": did you mean url?`},
		{"metrics for everybody", "metrics = \"0.0.0.0:9090\"" + good, `house.toml:1:11: metrics: 0.0.0.0:9090 can be reached from other machines`},
		{"a database of another kind", "database = \"mysql://db/trey\"" + good, `house.toml:1:12: database: this is neither a file nor a database of PostgreSQL`},
		{"a number for a text", "listen = 8080" + good, `house.toml:1:10: listen is a number: write it in quotes`},
		{"other money", "money = \"toy\"" + good, `house.toml:1:9: money cannot be "toy": write "play" or "real"`},
		{"guests with real money", "[guests]\nmax = 3" + good, `house.toml:2:1: guests play for play money`},
		{"too many guests", "money = \"play\"\n[guests]\nmax = -3" + good, `house.toml:3:7: guests.max must be a whole number from 0 to 1000000`},
		{"an unknown word of guests", "[guests]\nmaximum = 3" + good, `house.toml:2:1: guests have no "maximum": choose from max, money`},
		{"a role that is not", "[users.ada]\nrole = \"deeler\"\npassword = \"" + hash + "\"" + good, `house.toml:2:8: users.ada.role cannot be "deeler": did you mean dealer?`},
		{"a guest by name", "[users.ada]\nrole = \"guest\"\npassword = \"" + hash + "\"" + good, `house.toml:2:8: users.ada.role: a guest has no name`},
		{"a user without a role", "[users.ada]\npassword = \"" + hash + "\"" + good, `house.toml:1:8: users.ada has no role`},
		{"a user without a password", "[users.ada]\nrole = \"dealer\"" + good, `house.toml:1:8: users.ada has no password`},
		{"a password itself", "[users.ada]\nrole = \"dealer\"\npassword = \"secret\"" + good, `house.toml:3:12: users.ada.password: invalid value: this is not the hash of a password: make one with trey password`},
		{"a name that is none", "[users.\"Ada L\"]\nrole = \"dealer\"\npassword = \"" + hash + "\"" + good, `house.toml:1:8: users.Ada L: invalid value: a name has at most 64 of a-z`},
		{"a time without a unit", "[pace]\nbetting = \"20\"" + good, `house.toml:2:11: pace.betting must be a time in quotes`},
		{"a time below zero", "pace.betting = \"-1s\"" + good, `house.toml:1:16: pace.betting must be a time in quotes`},
		{"an unknown time", "[pace]\nbeting = \"20s\"" + good, `house.toml:2:1: a pace has no "beting": did you mean betting?`},
		{"an unknown wager", "[limits.anti]\nmin = \"5\"" + good, `house.toml:1:9: there is no wager "anti": did you mean ante?`},
		{"an unknown bound", "[limits.ante]\nmim = \"5\"" + good, `house.toml:2:1: a limit has no "mim": did you mean min?`},
		{"an amount without quotes", "[limits.ante]\nmin = 5" + good, `house.toml:2:7: limits.ante.min is a number: write the amount in quotes`},
		{"a limit of nothing", "[limits.ante]\nmin = \"0\"" + good, `house.toml:2:7: limits.ante.min is zero: write "none"`},
		{"no table", "listen = \"127.0.0.1:0\"", `house.toml:1:1: the house has no table`},
		{"a table without rules", "[tables.a]\nboxes = 3", `house.toml:1:9: tables.a plays by no rules: write book = "rws-3cp@3"`},
		{"a book that is not", "[tables.a]\nbook = \"rws-3pc\"", `house.toml:2:8: tables.a.book: there is no book "rws-3pc": did you mean rws-3cp?`},
		{"an edition that is not", "[tables.a]\nbook = \"rws-3cp@2\"", `house.toml:2:8: tables.a.book: rws-3cp has no edition "2" here: use rws-3cp@3`},
		{"a book and a variant", "[tables.a]\nbook = \"us-3cp\"\nvariant = \"high.toml\"", `house.toml:3:1: tables.a has a book and a variant`},
		{"a file that is not there", "[tables.a]\nvariant = \"none.toml\"", `house.toml:2:11: tables.a.variant: open none.toml: no such file`},
		{"a variant with a mistake", "[tables.a]\nvariant = \"bad.toml\"", `bad.toml:2: there is no key "bokses": did you mean boxes?`},
		{"a key of a table misspelt", "[tables.a]\nbok = \"us-3cp\"", `house.toml:2:1: a table has no "bok": did you mean book?`},
		{"pays of a table", "[tables.a]\nbook = \"us-3cp\"\npays.pair-plus = \"40/30/6/4/1\"\npays.ante-bonus = \"5/4/1\"", `house.toml:3:6: a table has no "pays": write it into a variant file, and name that file here instead of a book, such as variant = "high.toml"`},
		{"too many boxes", "[tables.a]\nbook = \"us-3cp\"\nboxes = 40", `house.toml:3:9: tables.a.boxes must be a whole number from 1 to`},
		{"limits the wrong way round", "[tables.a]\nbook = \"us-3cp\"\nlimits.ante = { min = \"10\", max = \"5\" }", `house.toml:3:17: tables.a, limits.ante: the minimum $10.00 is above the maximum $5.00`},
		{"a limit of another book", "[tables.a]\nbook = \"us-3cp\"\nlimits.bonus.max = \"5\"", `house.toml:3:14: tables.a.limits.bonus: us-3cp has no such wager: choose from ante, pair-plus`},
		{"a limit of the Play bet", "[tables.a]\nbook = \"us-3cp\"\nlimits.play.max = \"5\"", `house.toml:3:13: tables.a.limits.play: it always equals ante: limit that`},
		{"posted limits of the Play bet", "[limits]\nplay.max = \"5\"\n[tables.a]\nbook = \"us-3cp\"", `house.toml:2:6: limits.play: it always equals ante: limit that`},
		{"posted limits of the Progressive bet", "[limits.progressive]\nmax = \"5\"\n[tables.a]\nbook = \"us-3cp\"", `house.toml:2:1: limits.progressive: it has one size: set it as bet of its jackpot`},
		{"posted limits of what takes no bet", "[limits.envy]\nmax = \"5\"\n[tables.a]\nbook = \"us-3cp\"", `house.toml:2:1: limits.envy: it takes no stake and has no limits`},
		{"a table that no address leads to", "[tables.\"..\"]\nbook = \"us-3cp\"", `house.toml:1:9: ".." is no name of a table`},
		{"a jackpot that no address leads to", "[jackpots.\".\"]\nbet = \"5\"\n[tables.a]\nbook = \"us-3cp\"", `house.toml:1:11: "." is no name of a jackpot`},
		{"chips that are no list", "[tables.a]\nbook = \"us-3cp\"\nchips = \"5\"", `house.toml:3:9: tables.a.chips is a text: write a list`},
		{"a device that is not", "[tables.a]\nbook = \"us-3cp\"\ndevice = \"shufler\"", `house.toml:3:10: tables.a.device cannot be "shufler": did you mean shuffler?`},
		{"a mode that is not", "[tables.a]\nbook = \"us-3cp\"\nmode = \"auto\"", `house.toml:3:8: tables.a.mode cannot be "auto": choose from automatic, dealer`},
		{"cards by hand and nobody there", "[tables.a]\nbook = \"us-3cp\"\ncards = \"read\"", `house.toml:3:9: tables.a: the house deals at an automatic table`},
		{"chips and nobody there", "[tables.a]\nbook = \"us-3cp\"\nchips_on_layout = true", `house.toml:3:19: tables.a: nobody sees chips at an automatic table`},
		{"a clock for a dealer", "[tables.a]\nbook = \"us-3cp\"\nmode = \"dealer\"\npace.betting = \"5s\"", `house.toml:4:6: tables.a.pace.betting: a table that a dealer runs has no clock`},
		{"a jackpot that is not", "[jackpots.linked]\n[tables.a]\nbook = \"rws-3cp\"\njackpot = \"linkd\"", `house.toml:4:11: tables.a.jackpot: there is no jackpot "linkd": did you mean linked?`},
		{"a witness without a key", "[tables.a]\nbook = \"us-3cp\"\n[witnesses.w]\nurl = \"https://w.example/\"", "house.toml:3:12: witnesses.w has no key: write the line that the witness prints"},
		{"a witness without an address", "[tables.a]\nbook = \"us-3cp\"\n[witnesses.w]\nkey = \"witness.example/w1+aa4a09d1+BOpKbGPinFIKvvVQexMuxfmVR3auvr57kkIe6mkURtIs\"", "house.toml:3:12: witnesses.w has no url: write one such as url = \"https://witness.example/\""},
		{"an address that is none", "[tables.a]\nbook = \"us-3cp\"\n[witnesses.w]\nurl = \"w.example\"\nkey = \"witness.example/w1+aa4a09d1+BOpKbGPinFIKvvVQexMuxfmVR3auvr57kkIe6mkURtIs\"", "house.toml:4:7: witnesses.w.url cannot be \"w.example\": write the address of a witness, such as \"https://witness.example/\""},
		{"a port that is none", "[tables.a]\nbook = \"us-3cp\"\n[witnesses.w]\nurl = \"https://w.example:99999/\"\nkey = \"witness.example/w1+aa4a09d1+BOpKbGPinFIKvvVQexMuxfmVR3auvr57kkIe6mkURtIs\"", "house.toml:4:7: witnesses.w.url cannot be \"https://w.example:99999/\""},
		{"a key that is none", "[tables.a]\nbook = \"us-3cp\"\n[witnesses.w]\nurl = \"https://w.example/\"\nkey = \"w1+00000000+AAAA\"", "house.toml:5:7: witnesses.w.key: it is not the key of a witness: name, number and key, with a + between them; the witness prints its own"},
		{"a word for a witness", "[tables.a]\nbook = \"us-3cp\"\n[witnesses.w]\nurl = \"https://w.example/\"\nkey = \"witness.example/w1+aa4a09d1+BOpKbGPinFIKvvVQexMuxfmVR3auvr57kkIe6mkURtIs\"\nkeys = \"x\"", "house.toml:6:1: a witness has no \"keys\": did you mean key?"},
		{"no jackpot at all", "[tables.a]\nbook = \"rws-3cp\"\njackpot = \"linked\"", `house.toml:3:11: tables.a.jackpot: there is no jackpot "linked": add [jackpots.linked]`},
		{"a jackpot for a book without one", "[jackpots.linked]\n[tables.a]\nbook = \"us-3cp\"\njackpot = \"linked\"", `house.toml:4:11: tables.a.jackpot: us-3cp has no progressive`},
		{"a jackpot for a variant without one", "[jackpots.linked]\n[tables.a]\nvariant = \"dry.toml\"\njackpot = \"linked\"", `house.toml:4:11: tables.a.jackpot: the variant has its progressive disabled`},
		{"two terms for one jackpot", "[jackpots.linked]\n[tables.a]\nbook = \"rws-3cp\"\njackpot = \"linked\"\n[tables.b]\nvariant = \"big.toml\"\njackpot = \"linked\"", `house.toml:7:11: tables.b plays for linked by other terms than tables.a`},
		{"a bet that favours the player", "[jackpots.linked]\nbet = \"1\"\n[tables.a]\nbook = \"rws-3cp\"\njackpot = \"linked\"", `house.toml:1:11: tables.a, progressive.bet: a bet of $1.00 favours the player`},
		{"a meter of nothing", "[jackpots.linked]\nmeter = \"0\"\n[tables.a]\nbook = \"rws-3cp\"\njackpot = \"linked\"", `house.toml:2:9: jackpots.linked.meter is zero, `},
		{"a meter below its reset value", "[jackpots.linked]\nmeter = \"10\"\n[tables.a]\nbook = \"rws-3cp\"\njackpot = \"linked\"", `house.toml:2:9: jackpots.linked: `},
		{"a rate that is none", "[jackpots.linked]\nrate = \"lots\"\n[tables.a]\nbook = \"rws-3cp\"\njackpot = \"linked\"", `house.toml:2:8: jackpots.linked.rate must be a part of each bet`},
		{"an unknown term", "[jackpots.linked]\nresett = \"5\"\n[tables.a]\nbook = \"rws-3cp\"\njackpot = \"linked\"", `house.toml:2:1: a jackpot has no "resett": did you mean reset?`},
		{"a value for a section", "guests = 5" + good, `house.toml:1:1: guests is a table and not a number`},
		{"a section for a value", "[listen]\nport = 5" + good, `house.toml:1:2: listen holds a value and no table`},
		{"a name that cannot be written down", "[tables.\" a\"]\nbook = \"us-3cp\"", `house.toml:1:9: " a" is no name of a table`},
		{"no TOML", "listen = \n" + good, `house.toml:1:`},
		{"a key twice", "[tables.a]\nbook = \"us-3cp\"\nbook = \"us-3cp\"", `house.toml:3:1: tables.a.book stands twice`},
		{"posted limits the wrong way round", "[limits.ante]\nmin = \"300\"\nmax = \"200\"\n[tables.a]\nbook = \"rws-3cp\"", `house.toml:2:1: tables.a, limits.ante: the minimum $300.00 is above`},
		{"a list of tables", "[[tables]]\nbook = \"us-3cp\"", `house.toml:1:3: [[tables]] is a list of tables: write [tables]`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, _, err := plan.Parse("house.toml", []byte(test.text), read)
			var mistakes plan.Errors
			if !errors.As(err, &mistakes) {
				t.Fatalf("got %v", err)
			}
			if !strings.HasPrefix(mistakes[0].Error(), test.want) {
				t.Errorf("got %v\nwant %s", err, test.want)
			}
			if len(mistakes) != 1 && test.name != "a list of tables" {
				t.Errorf("one mistake is told as %d:\n%v", len(mistakes), err)
			}
		})
	}
	// All of them together.
	_, _, err := plan.Parse("house.toml", []byte(`lissten = "x"
[pace]
beting = "20s"
deal = "soon"
[tables.a]
book = "us-3pc"
[tables.b]
book = "us-3cp"
boxes = "three"
[tables.c]
variant = "bad.toml"
`), read)
	var lines []string
	for _, line := range strings.Split(err.Error(), "\n") {
		place, _, _ := strings.Cut(line, ": ")
		lines = append(lines, place)
	}
	if got, want := strings.Join(lines, " "), "house.toml:1:1 house.toml:3:1 house.toml:4:8 house.toml:6:8 house.toml:9:9 bad.toml:2"; got != want {
		t.Errorf("got %s\nwant %s\n%v", got, want, err)
	}
}

func TestRemarks(t *testing.T) {
	_, remarks := parse(t, `
listen = "192.168.1.5:80"
money = "play"
[users.ada]
role = "administrator"
password = "`+hash+`"
[jackpots.idle]
[tables.a]
book = "rws-3cp"
limits.ante.max = "100"
limits.pair-plus.max = "100"
pace.betting = "0s"
[guests]
`)
	var all []string
	for _, r := range remarks {
		all = append(all, r.String())
	}
	text := strings.Join(all, "\n")
	for _, want := range []string{
		"house.toml:2:10: passwords cross the network in clear text",
		"house.toml:7:11: jackpots.idle: no table plays for it",
		"house.toml:8:9: tables.a: rws-3cp@3 has a Progressive Jackpot, and none is connected",
		"house.toml:8:9: tables.a: there is no clock for betting",
		"house.toml:13:2: guests have no max, so that nobody is let in without a name",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is missing in\n%s", want, text)
		}
	}
	if len(remarks) != 5 {
		t.Errorf("remarks:\n%s", text)
	}
}

// Where the money is real, nothing at an automatic table waits for a supervisor.
func TestAutomaticTablesNeedNoStaff(t *testing.T) {
	const table = "[tables.a]\nbook = \"us-3cp\"\n"
	for name, test := range map[string]struct {
		text, want string
	}{
		"no clock, real money": {table + "pace.decision = \"0s\"\n", "there is no clock"},
		"no betting clock":     {table + "pace.betting = \"0s\"\n", "there is no clock"},
		"no option clock":      {table + "pace.option = \"0s\"\n", "there is no clock"},
		"none for the house":   {"[pace]\ndecision = \"0s\"\n" + table, "there is no clock"},
		"no clock, play money": {"money = \"play\"\n" + table + "pace.decision = \"0s\"\n", ""},
		"a clock":              {table, ""},
		"waiting":              {"[tables.a]\nvariant = \"patient.toml\"\n", "absent_player"},
		"waiting for a dealer": {"[tables.a]\nvariant = \"patient.toml\"\nmode = \"dealer\"\n", ""},
	} {
		_, _, err := plan.Parse("house.toml", []byte(test.text), func(file string) (string, []byte, error) {
			return file, []byte("base = \"us-3cp\"\nid = \"patient\"\n[rulings]\nabsent_player = \"wait\"\n"), nil
		})
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A whole number is one by the rules of TOML.
func TestWholeNumbers(t *testing.T) {
	for text, want := range map[string]int{"5": 5, "0x5": 5, "1_0": 10, "+7": 7} {
		if p, _ := parse(t, "[tables.a]\nbook = \"us-3cp\"\nboxes = "+text); p.Tables[0].Variant.Boxes != want {
			t.Errorf("%s boxes are %d", text, p.Tables[0].Variant.Boxes)
		}
	}
}

func TestCheckListen(t *testing.T) {
	for address, beyond := range map[string]bool{
		"127.0.0.1:0": false, "localhost:80": false, "[::1]:80": false, "127.8.8.8:80": false, "[::ffff:127.0.0.1]:80": false,
		":80": true, "0.0.0.0:80": true, "[::]:80": true, "10.0.0.1:80": true, "casino.example:80": true,
	} {
		if got, err := plan.CheckListen(address); got != beyond || err != nil {
			t.Errorf("%s: %v, %v", address, got, err)
		}
	}
	for _, address := range []string{"", "80", "127.0.0.1", "127.0.0.1:http", "127.0.0.1:-1", "127.0.0.1:080", "::1:80"} {
		if _, err := plan.CheckListen(address); err == nil {
			t.Errorf("%q is accepted", address)
		}
	}
}

func TestCheckNode(t *testing.T) {
	for _, address := range []string{"10.0.0.1:8080", "m1.example:80", "m1:65535", "[fd00::1]:8080", "127.0.0.1:8080"} {
		if err := plan.CheckNode(address); err != nil {
			t.Errorf("%s: %v", address, err)
		}
	}
	for _, address := range []string{"", "m1", "10.0.0.1", "10.0.0.1:", ":8080", "m1:http", "m1:0", "m1:65536", "0.0.0.0:8080", "[::]:8080", "http://m1:8080", "m1:8080/", "ann@m1:8080", "::1:80"} {
		if err := plan.CheckNode(address); err == nil {
			t.Errorf("%q is accepted", address)
		}
	}
}

// Whatever stands in the file, it is read or refused with places in it, and every
// table of what is read can be played.
func FuzzParse(f *testing.F) {
	f.Add(string(plan.Example()))
	f.Add("[tables.a]\nvariant = \"high.toml\"\nlimits.ante = {min = \"1\"}")
	f.Add("[tables.a]\nbook = \"rws-3cp\"\njackpot = \"j\"\n[jackpots.j]\nmeter = \"99999\"")
	f.Add("users.a = {role = \"player\", password = \"$argon2id$\"}\ntables.a.book = \"sm-3cp\"")
	f.Fuzz(func(t *testing.T, text string) {
		p, _, err := plan.Parse("house.toml", []byte(text), read)
		if err != nil {
			var mistakes plan.Errors
			if !errors.As(err, &mistakes) || len(mistakes) == 0 {
				t.Fatalf("got %v", err)
			}
			for _, m := range mistakes {
				if lines := 1 + strings.Count(text, "\n"); m.Name == "house.toml" && (m.Line < 1 || m.Line > lines || m.Column < 1) {
					t.Errorf("%v is outside of %q", m, text)
				}
			}
			return
		}
		for _, one := range p.Tables {
			if _, err := table.New(one.Variant, one.Config); err != nil {
				t.Errorf("%s: %v", one.Name, err)
			}
			// The record keeps the rules as a file.
			again, _, err := variant.Parse("written", variant.Write(one.Variant), books.Find)
			if err != nil || again.Hash() != one.Variant.Hash() {
				t.Errorf("%s cannot be written down: %v", one.Name, err)
			}
		}
	})
}

// The rules of every table are called as the file calls them that is recorded with
// its rounds: who checks a round compares the two.
func TestRulesKeepTheirNames(t *testing.T) {
	for _, of := range plan.Demonstration().Tables {
		again, _, err := variant.Parse("rules", variant.Write(of.Variant), books.Find)
		if err != nil {
			t.Fatal(err)
		}
		if again.ID != of.Variant.ID && of.Variant.ID != of.Variant.Book.Ref() || again.Hash() != of.Variant.Hash() {
			t.Errorf("table %s plays by %s, and its file says %s", of.Name, of.Variant.ID, again.ID)
		}
	}
}

// A section that is a comment in the example can be used by taking the comment signs away. No
// key that belongs to the top, or to another section, comes after it.
func TestSectionsOfTheExampleStandApart(t *testing.T) {
	comment := ""
	for _, line := range strings.Split(string(plan.Example()), "\n") {
		switch {
		case strings.HasPrefix(line, "# ["):
			comment = line
		case strings.HasPrefix(line, "["):
			comment = ""
		case line != "" && line[0] != '#' && comment != "":
			t.Errorf("%q comes after %q and would belong to it", line, comment)
		}
	}
}

// Where significant events are sent is read, with a time after which it is late.
func TestForward(t *testing.T) {
	p, _ := parse(t, "[significant_events]\nurl = \"https://siem.example/trey\"\ntoken_file = \"t\"\nca = \"c\"\nlate_after = \"5m\"\n[tables.a]\nbook = \"us-3cp\"\nlimits.ante.max = \"100\"\nlimits.pair-plus.max = \"100\"\n")
	if f := p.Forward; f.URL != "https://siem.example/trey" || f.TokenFile != "t" || f.CA != "c" || f.LateMs != 300_000 {
		t.Errorf("read is %+v", f)
	}
	for _, url := range []string{"http://127.0.0.1:9000/x", "http://localhost/", "http://[::1]:80/", "syslog-tls://siem.example", "syslog-tls://siem.example:6514", "https://siem.example:8443/a?b=c"} {
		p, _ := parse(t, "[significant_events]\nurl = \""+url+"\"\n[tables.a]\nbook = \"us-3cp\"\n")
		if f := p.Forward; f.URL != url || f.LateMs != 900_000 {
			t.Errorf("read is %+v", f)
		}
	}
	if p, _ := parse(t, "[tables.a]\nbook = \"us-3cp\"\n"); p.Forward.URL != "" {
		t.Errorf("read is %+v", p.Forward)
	}
}

// Passkeys work by https under the full names of the file, with the port that it says; and
// without https on the machine itself alone.
func TestOrigins(t *testing.T) {
	hosts := []string{"Trey.example", "192.0.2.1", "2001:db8::1", "casino", "trey.example:8443", "staff.trey.example:443", "localhost"}
	all := plan.Plan{HTTPS: true, Hosts: hosts}
	want := []string{"https://trey.example", "https://trey.example:8443", "https://staff.trey.example", "https://localhost"}
	if got := all.Origins(8080); !slices.Equal(got, want) {
		t.Errorf("by https: %q", got)
	}
	all.HTTPS = false
	if got := all.Origins(8080); !slices.Equal(got, []string{"http://localhost:8080"}) {
		t.Errorf("without: %q", got)
	}
	if got := (&plan.Plan{HTTPS: true}).Origins(8080); len(got) != 0 {
		t.Errorf("without a name: %q", got)
	}
	if got, _ := all.Reached(); !slices.Equal(got, []string{"localhost", "Trey.example", "192.0.2.1", "2001:db8::1", "casino", "trey.example", "staff.trey.example", "localhost"}) {
		t.Errorf("requests may come to %q", got)
	}
}

// Only the operator's word has the program look for no standbys.
func TestStandbysAreVouchedFor(t *testing.T) {
	for text, want := range map[string]bool{"": false, "standbys = \"seen\"\n": false, "standbys = \"vouched\"\n": true} {
		if p, _ := parse(t, text+"[tables.a]\nbook = \"us-3cp\"\n"); p.StandbysVouched != want {
			t.Errorf("%q: vouched for: %t", text, p.StandbysVouched)
		}
	}
}

// Two addresses cannot be listened at together where one of them is or has the other.
func TestListenAlike(t *testing.T) {
	for _, tt := range []struct {
		one, other string
		want       bool
	}{
		{"127.0.0.1:8080", "127.0.0.1:8080", true},
		{"127.0.0.1:8080", "127.0.0.1:8081", false},
		{"127.0.0.1:0", "127.0.0.1:0", false},
		{"127.0.0.1:8080", "127.0.0.2:8080", false},
		{"127.0.0.1:8080", "[::1]:8080", false},
		{"localhost:8080", "127.0.0.1:8080", true},
		{":8080", "127.0.0.1:8080", true},
		{"127.0.0.1:8080", "0.0.0.0:8080", true},
		{"[::]:8080", "[::1]:8080", true},
		{"[::ffff:127.0.0.1]:8080", "127.0.0.1:8080", true},
		{"house.example:8080", "127.0.0.1:8080", false},
		{"house.example:8080", "other.example:8080", false},
		{"house.example:8080", "house.example:8080", true},
	} {
		if got := plan.ListenAlike(tt.one, tt.other); got != tt.want {
			t.Errorf("%s and %s: %t", tt.one, tt.other, got)
		}
	}
}
