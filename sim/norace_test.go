//go:build !race

package sim

// RaceDetector makes the tests smaller under the race detector.
const RaceDetector = false
