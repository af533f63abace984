/** Token buckets: so many at once, and so many a second after that. */

export interface Rate {
  readonly perSecond: number
  /** How many may come at once. */
  readonly burst: number
}

export interface Bucket {
  tokens: number
  /** Milliseconds of the caller's clock. */
  filledAt: number
}

/** `factor`: the rate is this many times as high. */
export const fullBucket = ({ burst }: Rate, now: number, factor = 1): Bucket => ({
  tokens: burst * factor,
  filledAt: now,
})

/** Takes some tokens: 0 when they are available, else the milliseconds until they are; then none is taken. */
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
