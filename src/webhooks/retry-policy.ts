/** Time of the next attempt of a delivery without a usable answer. Pure. */

/** Largest share by which each delay is extended, so that deliveries that failed together are not retried together. */
export const JITTER = 0.2

/** Longest delay granted to a receiver; a longer request is cut to it. */
const MOST_PATIENCE_MS = 3_600_000

/** RFC 9110 §5.6.7: IMF-fixdate, the form of RFC 850, and asctime, which names no zone and means GMT. */
const HTTP_DATE = /^[A-Z][a-z]{2,8},? .+?(?<zone> GMT)?$/

/** Milliseconds requested by `Retry-After` (RFC 9110 §10.2.3), in seconds or as a date; 0 if absent or neither. */
export const retryAfterMs = (header: string | undefined, nowMs: number): number => {
  const text = header?.trim() ?? ""
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, MOST_PATIENCE_MS)
  const date = HTTP_DATE.exec(text)
  if (date === null) return 0
  const at = Date.parse(date.groups?.["zone"] === undefined ? `${text} GMT` : text)
  return Number.isNaN(at) ? 0 : Math.min(Math.max(0, at - nowMs), MOST_PATIENCE_MS)
}

/**
 * Milliseconds until the next attempt, given the number of attempts so far; `undefined` when the schedule is used up. At least `afterMs`,
 * the delay requested by the receiver. `random` is uniform in [0, 1).
 */
export const nextDelayMs = (
  delaysMs: ReadonlyArray<number>,
  attempts: number,
  random: number,
  afterMs = 0,
): number | undefined => {
  const delay = delaysMs[attempts - 1]
  if (delay === undefined) return undefined
  const stretch = 1 + JITTER * random
  return Math.max(delay * stretch, Math.min(afterMs * stretch, MOST_PATIENCE_MS))
}
