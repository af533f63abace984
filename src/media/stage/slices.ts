/** Long work on the event loop: it is done in slices, and other work has the loop between them. */
import { setImmediate } from "node:timers/promises"

const SLICE_MS = 2
/** The clock is read after so many steps. */
const STEPS = 10

/** Runs the steps of `work` to its end. `each`: takes what a step yields. */
export const inSlices = async <T, A>(work: Generator<T, A>, each: (yielded: T) => void = () => {}): Promise<A> => {
  let began = performance.now()
  for (let steps = 1; ; steps++) {
    const step = work.next()
    if (step.done === true) return step.value
    each(step.value)
    if (steps % STEPS !== 0 || performance.now() - began < SLICE_MS) continue
    await setImmediate()
    began = performance.now()
  }
}
