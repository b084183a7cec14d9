package surveillance

import (
	"trey/internal/house/access"
	"trey/internal/house/report"
	"trey/internal/web/site"
	"trey/money"
)

// accountsPage holds the accounts at one moment, and the movements of the meters of jackpots.
type accountsPage struct {
	trial, meters *report.Report
	debit, credit money.Amount
}

func (r *handlers) balance(v *site.Visit) error {
	s, ok, err := r.Authenticator.Staff(v, access.ReadReports)
	if !ok {
		return err
	}
	now := r.NowMs()
	made := func(k report.Kind) (*report.Report, error) {
		return report.Make(v.Context(), r.Record, report.Query{Kind: k, ToMs: now}, r.Version, now)
	}
	var b accountsPage
	if b.trial, err = made(report.TrialBalance); err != nil {
		return err
	}
	if b.meters, err = made(report.Jackpots); err != nil {
		return err
	}
	// The report's own columns: the sums of debits and credits stand last.
	for i := range b.trial.Sections {
		section := &b.trial.Sections[i]
		for k, c := range section.Columns {
			if k < len(section.Totals) {
				sum, _ := section.Totals[k].(money.Amount)
				switch c.Key {
				case "debit":
					b.debit = sum
				case "credit":
					b.credit = sum
				}
			}
		}
	}
	return v.Show(site.Page{Title: v.T("watch.balance"), Sheets: sheets, Wide: true, Body: balancePage(v, s, &b)})
}
