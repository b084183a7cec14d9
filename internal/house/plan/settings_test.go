package plan_test

import (
	"maps"
	"net/netip"
	"reflect"
	"slices"
	"testing"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/plan"
)

// What a plan says of money and of who may do what is in its settings, by its names there, and
// no secret is. Whoever adds something to plans decides whether it belongs to them.
func TestSettings(t *testing.T) {
	full := plan.Plan{
		SecondFactor: []access.Role{access.ShiftManager, access.Cashier}, StandbysVouched: true, RealityCheckMs: 3_600_000,
		Guests:  plan.Guests{Max: 200, Money: 100_000},
		Cage:    house.CageLimits{Each: 1_000_000, Day: 5_000_000},
		Proxies: []netip.Addr{netip.MustParseAddr("10.0.0.2"), netip.MustParseAddr("10.0.0.1")},
		Provider: plan.Provider{
			Issuer: "https://a:secret@id.example/realm?secret", ID: "trey", Secret: "secret", NameClaim: "sub", RolesClaim: "groups",
			Roles: map[string]access.Role{"the dealers": access.Dealer},
		},
		Witnesses: []plan.Witness{{Name: "w", URL: "https://w.example/", Key: "w.example+1234+key"}},
		Forward:   plan.Forward{URL: "https://b:secret@log.example/in?token=secret", TokenFile: "secret", LateMs: 900_000},
		Users:     []plan.User{{Name: "ada", Hash: "secret"}},
	}
	want := house.Settings{
		"second_factor": "cashier shift-manager", "standbys": "vouched", "players.reality_check": "3600000",
		"guests.max": "200", "guests.money": "100000", "cage.transaction": "1000000", "cage.day": "5000000",
		"proxies": "10.0.0.1 10.0.0.2", "witnesses": "w.example+1234+key",
		"provider.issuer": "https://id.example/realm", "provider.client_id": "trey", "provider.name_claim": "sub",
		"provider.roles_claim": "groups", "provider.roles.the dealers": "dealer",
		"significant_events.url": "https://log.example/in", "significant_events.late_after": "900000",
	}
	if got := full.Settings(); !maps.Equal(got, want) {
		t.Errorf("the settings are\n%v, want\n%v", got, want)
	}
	if got := new(plan.Plan).Settings(); len(got) > 0 {
		t.Errorf("of an empty plan they are %v", got)
	}
	// Each of the others gives a place, a name or an amount. Users are those of a new house,
	// and recorded, as are tables. The house states PlayMoney.
	others := []string{
		"Name", "Listen", "HTTPS", "Hosts", "Metrics", "MetricsPos", "Database", "DatabasePos", "SealKeysPos", "SigningPos", "ArchivePos", "SealKeys", "Signing", "Archive", "Requests",
		"Users", "Tables", "PlayMoney",
	}
	for i, v := 0, reflect.ValueOf(full); i < v.NumField(); i++ {
		if name := v.Type().Field(i).Name; slices.Contains(others, name) == !v.Field(i).IsZero() && name != "Users" {
			t.Errorf("%s of a plan: is it one of the settings, or one of the others?", name)
		}
	}
}
