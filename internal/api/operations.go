package api

import (
	"net/http"

	"trey/internal/house"
	"trey/internal/house/access"
)

// operations adds the routes for those who run the machine.
func (d *server) operations() {
	d.mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusOK, health{Status: "alive"})
	})
	d.mux.HandleFunc("GET /readyz", d.ready)
	d.mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, r *http.Request) {
		// Behind a proxy on this machine everybody comes from loopback: an address
		// says nothing about who may see them.
		if _, err := requirePermission(r.Context(), access.SeeMetrics); err != nil {
			d.fail(w, r, err)
			return
		}
		d.metrics.handler.ServeHTTP(w, r)
	})
}

type health struct {
	Status string `json:"status"`
	// Warnings say what the operator should know although the house goes on.
	Warnings []string `json:"warnings,omitempty"`
}

// ready says whether the house takes commands and begins rounds.
func (d *server) ready(w http.ResponseWriter, r *http.Request) {
	if err := d.House.Fault(); err != nil {
		d.fail(w, r, err)
		return
	}
	if err := d.House.InTime(d.NowMs()); err != nil {
		d.fail(w, r, err)
		return
	}
	if d.House.Draining() {
		d.fail(w, r, house.ErrClosing)
		return
	}
	answer := health{Status: "ready"}
	if d.Warnings != nil {
		answer.Warnings = d.Warnings()
	}
	writeJSON(w, http.StatusOK, answer)
}
