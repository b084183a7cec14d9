package sim

import (
	"context"
	"sync"
)

// share divides the rounds into blocks of that size and has the workers play
// them. It returns how many rounds were played: all, or fewer if the context
// ended.
//
// Blocks are begun in order, and a block that is begun is finished. So whatever
// the moment of an interruption, what has been played are the first blocks
// without a gap: a run of fewer rounds.
func share(ctx context.Context, o *Options, size int64, play func(worker int, block, rounds int64) error) (played int64, err error) {
	var (
		mu    sync.Mutex // guards all below, and keeps calls of Progress apart
		next  int64
		wg    sync.WaitGroup
		blame error
	)
	take := func() (block, rounds int64, ok bool) {
		mu.Lock()
		defer mu.Unlock()
		if blame != nil || ctx.Err() != nil || next*size >= o.Rounds {
			return 0, 0, false
		}
		block = next
		next++
		return block, min(size, o.Rounds-block*size), true
	}
	report := func(rounds int64, err error) {
		mu.Lock()
		defer mu.Unlock()
		if err != nil {
			blame = err
			return
		}
		played += rounds
		if o.Progress != nil {
			o.Progress(played)
		}
	}
	for worker := range o.Workers {
		wg.Go(func() {
			for {
				block, rounds, ok := take()
				if !ok {
					return
				}
				report(rounds, play(worker, block, rounds))
			}
		})
	}
	wg.Wait()
	return played, blame
}
