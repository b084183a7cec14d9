package api

import (
	"net/http"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics holds the counters of the API. No label holds a name that a client chose.
type metrics struct {
	requests *prometheus.CounterVec
	commands *prometheus.CounterVec
	streams  *prometheus.CounterVec
	cut      *prometheus.CounterVec
	logins   *prometheus.CounterVec
	took     prometheus.Histogram
	waiting  prometheus.Gauge
	handler  http.Handler
}

func newMetrics(r *prometheus.Registry, d *server) *metrics {
	m := &metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "trey_http_requests_total", Help: "Requests answered, by the class of their status.",
		}, []string{"class"}),
		commands: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "trey_commands_total", Help: "Commands to tables that came in by HTTP, by their kind and how they ended.",
		}, []string{"kind", "result"}),
		streams: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "trey_streams_total", Help: "Streams of events that were opened, by what they follow.",
		}, []string{"topic"}),
		cut: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "trey_streams_cut_off_total", Help: "Streams of events that were cut off, by why.",
		}, []string{"why"}),
		logins: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "trey_logins_total", Help: "Attempts to sign in, by how they ended.",
		}, []string{"result"}),
		took: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "trey_command_seconds", Help: "How long commands took, from their first byte to a durable answer.",
			Buckets: []float64{.0005, .001, .002, .005, .01, .02, .05, .1, .2, .5, 1, 2, 5},
		}),
	}
	m.waiting = prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "trey_commands_waiting", Help: "Commands that are being carried out or wait for the record.",
	})
	rounds := prometheus.NewCounterFunc(prometheus.CounterOpts{
		Name: "trey_rounds_total", Help: "Rounds that have begun at all tables, since they were put on the floor.",
	}, d.roundsBegun)
	readers := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "trey_streams_open", Help: "Streams of events that are open.",
	}, func() float64 { return float64(d.streams.held()) })
	r.MustRegister(m.requests, m.commands, m.streams, m.cut, m.logins, m.took, m.waiting, rounds, readers)
	m.handler = promhttp.HandlerFor(r, promhttp.HandlerOpts{})
	return m
}

// roundsBegun counts the rounds of all tables, when somebody asks.
func (d *server) roundsBegun() (n float64) {
	for _, name := range d.House.Tables() {
		if status, err := d.House.Status(name); err == nil {
			n += float64(status.State.Round())
		}
	}
	return n
}

// class returns the class of a status, such as "4xx".
func class(status int) string { return strconv.Itoa(status/100) + "xx" }
