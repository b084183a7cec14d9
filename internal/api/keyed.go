package api

import (
	"log/slog"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"
)

// KeyedRoutes lists the operations that take an Idempotency-Key, as patterns of http.ServeMux.
// A request to one of them may be sent again under its key, and is carried out once.
func KeyedRoutes() (all []string) {
	d := newServer(Config{Log: slog.New(slog.DiscardHandler)})
	for path, item := range d.huma.OpenAPI().Paths {
		for method, op := range map[string]*huma.Operation{
			http.MethodPost: item.Post, http.MethodPut: item.Put, http.MethodPatch: item.Patch, http.MethodDelete: item.Delete,
		} {
			if op != nil && slices.ContainsFunc(op.Parameters, func(p *huma.Param) bool { return p.Name == "Idempotency-Key" }) {
				all = append(all, method+" "+path)
			}
		}
	}
	slices.Sort(all)
	return all
}
