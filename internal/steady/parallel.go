package steady

import (
	"flag"
	"runtime"
	"strconv"
)

// Parallel runs several tests at a time for each processor, unless -parallel sets a number. It is
// for packages whose tests wait for browsers, other processes or leases. TestMain calls it before
// it runs the tests.
func Parallel(each int) {
	flag.Parse()
	asked := false
	flag.Visit(func(f *flag.Flag) { asked = asked || f.Name == "test.parallel" })
	if asked {
		return
	}
	if err := flag.Set("test.parallel", strconv.Itoa(each*runtime.GOMAXPROCS(0))); err != nil {
		panic(err)
	}
}
