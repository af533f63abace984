/** When a delivery that got no usable answer is tried again. Pure. */

/** Each delay is stretched by up to this share, so that what failed together does not come back together. */
export const JITTER = 0.2

/**
 * Milliseconds until the next try after `attempts` tries, the first among them; `undefined` when the schedule is used up.
 * `random` is uniform in [0, 1).
 */
export const nextDelayMs = (delaysMs: ReadonlyArray<number>, attempts: number, random: number): number | undefined => {
  const delay = delaysMs[attempts - 1]
  return delay === undefined ? undefined : delay * (1 + JITTER * random)
}
