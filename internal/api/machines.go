package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"trey/internal/house/access"
	"trey/internal/house/machines"
)

// Machines are the machines of the house at one moment.
type Machines struct {
	NowMs    int64     `json:"now_ms" doc:"That moment, by the clock of the database."`
	Machines []Machine `json:"machines"`
	Lease    *Lease    `json:"lease,omitempty" doc:"Left out where one machine has the record in a file."`
}

// Machine is a machine of the house as it last announced itself.
type Machine struct {
	Node     string       `json:"node" doc:"The name of the machine, for people."`
	Address  string       `json:"address,omitempty" doc:"Where the other machines reach it."`
	Role     string       `json:"role" enum:"writer,door" doc:"The writer decides and records; a door reads, and hands commands on."`
	Version  string       `json:"version" doc:"The version of its program."`
	Reads    MachineReads `json:"reads" doc:"What its program reads."`
	Seq      int64        `json:"seq" doc:"The last transaction that it shows."`
	Behind   int64        `json:"behind" doc:"Confirmed transactions that it does not show yet."`
	BehindMs int64        `json:"behind_ms" doc:"Milliseconds since it was known to show all of them; at the writer, since the database confirmed its lease."`
	SeenMs   int64        `json:"seen_ms" doc:"When it announced itself last, by the clock of the database."`
	Gone     bool         `json:"gone" doc:"It has announced itself no more for 5 seconds."`
	DoorOnly string       `json:"door_only,omitempty" doc:"Why it never becomes the writer."`
}

// MachineReads describes the forms and versions that the program of a machine reads.
type MachineReads struct {
	Tables int64          `json:"tables,omitempty" doc:"The version of the tables in the database."`
	Books  map[string]int `json:"books" doc:"The revision of each rule book."`
}

// Lease says which machine is the writer, and for how long.
type Lease struct {
	Node    string `json:"node"`
	Address string `json:"address,omitempty" doc:"Empty while no machine is the writer."`
	Epoch   int64  `json:"epoch" doc:"How often the writer has changed."`
	UntilMs int64  `json:"until_ms" doc:"No other machine becomes the writer before, by the clock of the database."`
	Held    bool   `json:"held" doc:"Whether that is still ahead."`
}

func (d *server) machines() {
	serve(d, huma.Operation{
		OperationID: "list-machines", Method: http.MethodGet, Path: "/api/v1/machines", Tags: []string{"House"},
		Summary: "List the machines of the house", Description: "Which machine is the writer, which are doors, how far each is behind, and what its program reads. A machine that is gone is listed for 7 days.",
	}, func(ctx context.Context, _ *struct{}) (*struct{ Body Machines }, error) {
		if _, err := requirePermission(ctx, access.SeeMetrics); err != nil {
			return nil, err
		}
		h, err := d.Machines(ctx)
		if err != nil {
			return nil, err
		}
		return &struct{ Body Machines }{machinesOf(&h)}, nil
	})
}

func machinesOf(h *machines.House) Machines {
	out := Machines{NowMs: h.NowMs, Machines: []Machine{}}
	for i := range h.Machines {
		m := &h.Machines[i]
		role := "door"
		if m.Writer {
			role = "writer"
		}
		out.Machines = append(out.Machines, Machine{
			Node: m.Node, Address: m.Address, Role: role, Version: m.Version, Reads: MachineReads{Tables: m.Reads.Tables, Books: m.Reads.Books},
			Seq: m.Seq, Behind: m.Behind, BehindMs: m.BehindMs, SeenMs: m.SeenMs, Gone: h.Gone(m), DoorOnly: m.DoorOnly,
		})
	}
	if l := h.Lease; l != nil {
		out.Lease = &Lease{Node: l.Node, Address: l.Address, Epoch: l.Epoch, UntilMs: l.UntilMs, Held: h.Held()}
	}
	return out
}
