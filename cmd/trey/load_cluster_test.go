//go:build unix

package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"strings"
	"testing"

	"trey/internal/house/identity"
	"trey/internal/store/postgres/pgserver"
)

var loadCluster = flag.String("load.cluster", "", `flags of trey load, such as "--tables 40 --doors 2; --tables 40": it is run with each set in turn, at three servers with one synchronous standby, or in a file after the word "file"`)

// With the flag -load.cluster a load is measured at servers that lose nothing: three that sync, of which two
// have to hold what is acknowledged. Several loads by turns in one run can be compared.
func TestLoadOnACluster(t *testing.T) {
	if *loadCluster == "" {
		t.Skip("nothing is measured without -load.cluster")
	}
	// The house is another process, and is measured as it runs elsewhere.
	t.Setenv(smallProgram, "")
	t.Setenv("GOGC", "100")
	quick := identity.StandardCost
	identity.StandardCost = standardCost
	defer func() { identity.StandardCost = quick }()
	c := pgserver.StartSyncedClusterFor(t)
	for i, set := range strings.Split(*loadCluster, ";") {
		flags := strings.Fields(set)
		if len(flags) > 0 && flags[0] == "file" {
			flags = flags[1:]
		} else {
			database, err := c.Database(context.Background(), fmt.Sprintf("load_%d", i))
			if err != nil {
				t.Fatal(err)
			}
			flags = append(flags, "--db", database)
		}
		var out, logs bytes.Buffer
		status := run(append([]string{"load"}, flags...), strings.NewReader(""), &out, &logs)
		t.Logf("%s\n%s", set, &out)
		if status != 0 {
			t.Fatalf("status %d: %s", status, &logs)
		}
	}
}
