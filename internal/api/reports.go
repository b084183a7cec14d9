package api

import (
	"bytes"
	"context"
	"errors"
	"mime"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"trey/internal/house/access"
	"trey/internal/house/report"
	"trey/internal/house/significant"
	"trey/money"
)

const reportPath = "/api/v1/reports/{kind}"

// ReportKind is a report that can be had.
type ReportKind struct {
	Kind  report.Kind `json:"kind"`
	Title string      `json:"title"`
}

type listedReports struct {
	Body struct {
		Reports []ReportKind `json:"reports"`
	}
}

func (d *server) reports() {
	serve(d, huma.Operation{
		OperationID: "list-reports", Method: http.MethodGet, Path: "/api/v1/reports", Tags: []string{"Reports"},
		Summary: "List the reports", Description: "Every report that the caller may have made.",
	}, func(ctx context.Context, _ *struct{}) (*listedReports, error) {
		person, err := requirePermission(ctx, access.ReadReports)
		if err != nil {
			return nil, err
		}
		out := &listedReports{}
		for _, k := range report.Kinds() {
			if !person.Role.Can(k.Permission()) {
				continue
			}
			out.Body.Reports = append(out.Body.Reports, ReportKind{k, k.Title()})
		}
		return out, nil
	})
	d.mux.HandleFunc("GET "+reportPath, d.report)
	registry := d.huma.OpenAPI().Components.Schemas
	number := &huma.Schema{Type: huma.TypeInteger}
	text := &huma.Schema{Type: huma.TypeString}
	op := &huma.Operation{
		OperationID: "report", Method: http.MethodGet, Path: reportPath, Tags: []string{"Reports"},
		Summary: "Have a report made", Description: "Computed from the record alone: as JSON; as CSV where the Accept header asks for text/csv; and for paper, in numbered pages, where it asks for text/plain.",
		Parameters: []*huma.Param{
			{Name: "kind", In: "path", Required: true, Schema: words(report.Kinds()...), Description: "Which report."},
			{Name: "from_ms", In: "query", Schema: number, Description: "From when on, in milliseconds of the Unix clock; left out, from the beginning."},
			{Name: "to_ms", In: "query", Schema: number, Description: "Before when; left out, to the end."},
			{Name: "table", In: "query", Schema: text, Description: "Only of this table."},
			{Name: "jackpot", In: "query", Schema: text, Description: "Only of this jackpot."},
			{Name: "player", In: "query", Schema: text, Description: "Only of this player."},
			{Name: "event", In: "query", Schema: words(significant.Kinds()...), Description: "Only significant events of this kind."},
			{Name: "threshold", In: "query", Schema: number, Description: "From which amount on a win is large, in minor units."},
		},
		Responses: d.problems(401, 403, 404, 421, 422, 429, 500, 503),
	}
	op.Responses["200"] = &huma.Response{
		Description: "The report.",
		Content: map[string]*huma.MediaType{
			"application/json": {Schema: registry.Schema(reflect.TypeFor[report.Report](), true, "Report")},
			"text/csv":         {Schema: text},
			"text/plain":       {Schema: text},
		},
	}
	d.huma.OpenAPI().AddOperation(op)
}

func (d *server) report(w http.ResponseWriter, r *http.Request) {
	made, err := d.makeReport(r)
	if err != nil {
		d.fail(w, r, err)
		return
	}
	form, write, end := formOf(r.Header.Get("Accept")), made.CSV, ".csv"
	switch form {
	case "text/csv":
	case "text/plain":
		write, end = made.Paper, ".txt"
	default:
		writeJSON(w, http.StatusOK, made)
		return
	}
	var text bytes.Buffer
	if err := write(&text); err != nil {
		d.fail(w, r, err)
		return
	}
	w.Header().Set("Content-Type", form+"; charset=utf-8")
	w.Header().Set("Content-Disposition", `attachment; filename="`+made.Kind.String()+end+`"`)
	w.Write(text.Bytes()) //nolint:errcheck // the reader has gone: there is nobody to tell
}

// formOf returns which form of a report an Accept header ranks highest, and JSON where it names none.
func formOf(accept string) string {
	form, highest := "application/json", 0.0
	for part := range strings.SplitSeq(accept, ",") {
		media, params, err := mime.ParseMediaType(part)
		if err != nil || media != "text/csv" && media != "text/plain" && media != "application/json" {
			continue
		}
		quality := 1.0
		if q, given := params["q"]; given {
			if quality, err = strconv.ParseFloat(q, 64); err != nil {
				continue
			}
		}
		if quality > highest {
			form, highest = media, quality
		}
	}
	return form
}

func (d *server) makeReport(r *http.Request) (*report.Report, error) {
	if _, err := requirePermission(r.Context(), access.ReadReports); err != nil {
		return nil, err
	}
	q := report.Query{Rules: d.House}
	var err error
	if q.Kind, err = report.ParseKind(r.PathValue("kind")); err != nil {
		return nil, kindNotFound.problem(err.Error())
	}
	if _, err := requirePermission(r.Context(), q.Kind.Permission()); err != nil {
		return nil, err
	}
	for name, values := range r.URL.Query() {
		value := values[0]
		number := func() int64 {
			n, bad := strconv.ParseInt(value, 10, 64)
			if bad != nil || n < 0 {
				err = errors.Join(err, kindInvalid.problem(name+" is a whole number, zero or more"))
			}
			return n
		}
		// What is misspelled is no table or jackpot of which nothing is to be told.
		oneOf := func(all []string) string {
			if value != "" && !slices.Contains(all, value) {
				err = errors.Join(err, kindInvalid.problem("there is no "+name+" "+strconv.Quote(value)+": check the spelling"))
			}
			return value
		}
		switch name {
		case "from_ms":
			q.FromMs = number()
		case "to_ms":
			q.ToMs = number()
		case "threshold":
			q.Threshold = money.Amount(number())
		case "table":
			q.Table = oneOf(d.House.Tables())
		case "jackpot":
			q.Jackpot = oneOf(d.House.Jackpots())
		case "player":
			q.Player = value
		case "event":
			var bad error
			if q.Event, bad = significant.ParseKind(value); bad != nil {
				err = errors.Join(err, kindInvalid.problem(bad.Error()))
			}
		default:
			err = errors.Join(err, kindInvalid.problem("there is no query parameter "+strconv.Quote(name)+" here: a report takes from_ms, to_ms, table, jackpot, player, event and threshold"))
		}
	}
	if err != nil {
		return nil, err
	}
	made, err := report.Make(r.Context(), d.Record, q, d.Version, d.NowMs())
	if err != nil {
		return nil, err
	}
	made.House = d.Name
	return made, nil
}
