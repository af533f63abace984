/** Waiting for something to become true, with a deadline: for what offers no signal of its own. */
import { PATIENCE_MS } from "./patience.ts"

/** The pause between two looks grows with the wait, so that long waits leave the processor to what they wait for. */
const FIRST_PAUSE_MS = 10
const LONGEST_PAUSE_MS = 100

/**
 * Does it settle before a timer of so many milliseconds that begins now? Both must depend on timers of this process: those fire in the
 * order in which they are due, however busy the machine is.
 */
export const settlesWithin = (ms: number, settling: Promise<unknown>): Promise<boolean> =>
  Promise.race([
    settling.then(
      () => true,
      () => true,
    ),
    // timed: it is the control that the other timers are compared with.
    new Promise<boolean>((resolve) => setTimeout(() => resolve(false), ms).unref()),
  ])

export const eventually = async (
  holds: () => boolean | Promise<boolean>,
  what = "the condition",
  deadlineMs = PATIENCE_MS,
): Promise<void> => {
  const deadline = Date.now() + deadlineMs
  let pauseMs = FIRST_PAUSE_MS
  while (!(await holds())) {
    // timed: the deadline of a wait that would last for ever.
    if (Date.now() > deadline) throw new Error(`${what} did not become true within ${deadlineMs} ms`)
    // timed: the pause between two looks.
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
    pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 1.25)
  }
}
