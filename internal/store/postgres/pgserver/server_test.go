//go:build unix

package pgserver

import "testing"

// A port is given to one server at a time, also before that server listens. Of 10,000 ports, 500
// chosen by chance alone would not all differ.
func TestAPortIsGivenOnce(t *testing.T) {
	t.Parallel()
	given := map[int]bool{}
	for range 500 {
		port, r, err := reservePort()
		if err != nil {
			t.Fatal(err)
		}
		defer r.release()
		if given[port] {
			t.Errorf("port %d was given twice", port)
		}
		given[port] = true
	}
}
