package sim_test

import (
	"testing"

	"trey/card"
	"trey/internal/shuffle"
	"trey/rules/mbs3pictures"
	"trey/rules/rws3cp"
	"trey/sim"
)

func shuffler(seed [32]byte) [52]card.Card { return shuffle.Shuffle(seed) }

// The benchmarks report rounds a second on one core.

func BenchmarkKernel(b *testing.B) {
	o := sim.Options{Rounds: int64(b.N), Workers: 1}
	if _, err := sim.Kernel(b.Context(), rws3cp.Book().Standard(), o); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "rounds/s")
}

func BenchmarkKernelPictures(b *testing.B) {
	o := sim.Options{Rounds: int64(b.N), Workers: 1}
	if _, err := sim.Kernel(b.Context(), mbs3pictures.Book().Standard(), o); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "rounds/s")
}

func benchmarkEngine(b *testing.B, boxes int) {
	b.ReportAllocs()
	o := sim.Options{Rounds: int64(b.N), Workers: 1, Boxes: boxes}
	if _, err := sim.Engine(b.Context(), rws3cp.Book().Standard(), shuffler, o); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "rounds/s")
}

func BenchmarkEngineOneBox(b *testing.B)     { benchmarkEngine(b, 1) }
func BenchmarkEngineSevenBoxes(b *testing.B) { benchmarkEngine(b, 7) }
