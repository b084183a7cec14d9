package plan

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"trey/internal/house"
)

// Settings returns what the plan says of money and of who may do what, for the record: an
// auditor sees from it when somebody has changed house.toml, and to what. They have the names
// that they have in the file; amounts are cents, and times milliseconds. Secrets are not among
// them. Tables and jackpots are not either: the house records each of them when it is brought to
// its plan, and whether money is real it states itself.
func (p *Plan) Settings() house.Settings {
	all := house.Settings{}
	set := func(name, value string) {
		if value != "" {
			all[name] = value
		}
	}
	number := func(name string, n int64) {
		if n != 0 {
			set(name, strconv.FormatInt(n, 10))
		}
	}
	list := func(name string, values []string) {
		slices.Sort(values)
		set(name, strings.Join(values, " "))
	}
	if p.Guests.Max > 0 {
		number("guests.max", int64(p.Guests.Max))
		number("guests.money", int64(p.Guests.Money))
	}
	number("players.reality_check", p.RealityCheckMs)
	number("cage.transaction", int64(p.Cage.Each))
	number("cage.day", int64(p.Cage.Day))
	var roles, witnesses, proxies []string
	for _, role := range p.SecondFactor {
		roles = append(roles, role.String())
	}
	list("second_factor", roles)
	if r := &p.Provider; r.Issuer != "" {
		set("provider.issuer", withoutSecrets(r.Issuer))
		set("provider.client_id", r.ID)
		set("provider.name_claim", r.NameClaim)
		set("provider.roles_claim", r.RolesClaim)
		for theirs, role := range r.Roles {
			set("provider.roles."+theirs, role.String())
		}
	}
	for _, w := range p.Witnesses {
		witnesses = append(witnesses, w.Key)
	}
	list("witnesses", witnesses)
	if f := &p.Forward; f.URL != "" {
		set("significant_events.url", withoutSecrets(f.URL))
		number("significant_events.late_after", f.LateMs)
	}
	for _, address := range p.Proxies {
		proxies = append(proxies, address.String())
	}
	list("proxies", proxies)
	if p.StandbysVouched {
		set("standbys", "vouched")
	}
	return all
}

// withoutSecrets returns an address without its secrets: user, password and query.
func withoutSecrets(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "?"
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}
