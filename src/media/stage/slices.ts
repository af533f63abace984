/** Runs long work on the event loop in slices, with other work in between. */
import { setImmediate } from "node:timers/promises"

const SLICE_MS = 2
/** Number of steps between readings of the clock. */
const STEPS = 10

/** Runs the steps of `work` to its end. `each` receives what a step yields. */
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
