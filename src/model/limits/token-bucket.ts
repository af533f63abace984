/** Token buckets: a burst at once, then a rate per second. */

export interface Rate {
  readonly perSecond: number
  /** Most tokens taken at once. */
  readonly burst: number
}

export interface Bucket {
  tokens: number
  /** Milliseconds of the caller's clock. */
  filledAt: number
}

/** `factor` multiplies the rate and the burst. */
export const fullBucket = ({ burst }: Rate, now: number, factor = 1): Bucket => ({
  tokens: burst * factor,
  filledAt: now,
})

/** Takes tokens: returns 0 if they are available, else the milliseconds until they are, without taking any. */
export const takeToken = (
  bucket: Bucket,
  { perSecond, burst }: Rate,
  now: number,
  { factor = 1, count = 1 }: { readonly factor?: number; readonly count?: number } = {},
): number => {
  const perMs = (perSecond * factor) / 1000
  bucket.tokens = Math.min(burst * factor, bucket.tokens + Math.max(0, now - bucket.filledAt) * perMs)
  bucket.filledAt = now
  if (bucket.tokens < count) return Math.ceil((count - bucket.tokens) / perMs)
  bucket.tokens -= count
  return 0
}
