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
	writeJSON(w, http.StatusOK, health{Status: "ready"})
}
