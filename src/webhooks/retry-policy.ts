/** The time of the next try of a delivery without a usable answer. Pure. */

/** Each delay is stretched by up to this share, so that deliveries that failed together are not retried together. */
export const JITTER = 0.2

/** A receiver that asks for more patience is tried again after this time. */
const MOST_PATIENCE_MS = 3_600_000

/** RFC 9110 §5.6.7: IMF-fixdate, the form of RFC 850, and asctime, which names no zone and means GMT. */
const HTTP_DATE = /^[A-Z][a-z]{2,8},? .+?(?<zone> GMT)?$/

/** Milliseconds for which `Retry-After` asks (RFC 9110 §10.2.3), seconds or a date; 0 for none and for what is neither. */
export const retryAfterMs = (header: string | undefined, nowMs: number): number => {
  const text = header?.trim() ?? ""
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, MOST_PATIENCE_MS)
  const date = HTTP_DATE.exec(text)
  if (date === null) return 0
  const at = Date.parse(date.groups?.["zone"] === undefined ? `${text} GMT` : text)
  return Number.isNaN(at) ? 0 : Math.min(Math.max(0, at - nowMs), MOST_PATIENCE_MS)
}

/**
 * Milliseconds until the next try after `attempts` tries, the first among them; `undefined` when the schedule is used up. Not before
 * `afterMs`, the time for which the receiver asked. `random` is uniform in [0, 1).
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
