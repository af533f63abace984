/** The time of the next try of a delivery without a usable answer. Pure. */

/** Each delay is stretched by up to this share, so that deliveries that failed together are not retried together. */
export const JITTER = 0.2

/**
 * Milliseconds until the next try after `attempts` tries, the first among them; `undefined` when the schedule is used up.
 * `random` is uniform in [0, 1).
 */
export const nextDelayMs = (delaysMs: ReadonlyArray<number>, attempts: number, random: number): number | undefined => {
  const delay = delaysMs[attempts - 1]
  return delay === undefined ? undefined : delay * (1 + JITTER * random)
}
