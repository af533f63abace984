/** Token buckets: so many at once, and so many a second after that. */

export interface Rate {
  readonly perSecond: number
  /** How many may come at once. */
  readonly burst: number
}

export interface Bucket {
  tokens: number
  /** Unix milliseconds. */
  filledAt: number
}

/** `factor`: as for `takeToken`. */
export const fullBucket = ({ burst }: Rate, now: number, factor = 1): Bucket => ({
  tokens: burst * factor,
  filledAt: now,
})

/** Takes one: 0 when it was there, else the milliseconds until it will be. `factor`: the rate is this many times as high. */
export const takeToken = (bucket: Bucket, { perSecond, burst }: Rate, now: number, factor = 1): number => {
  const perMs = (perSecond * factor) / 1000
  bucket.tokens = Math.min(burst * factor, bucket.tokens + (now - bucket.filledAt) * perMs)
  bucket.filledAt = now
  if (bucket.tokens < 1) return Math.ceil((1 - bucket.tokens) / perMs)
  bucket.tokens--
  return 0
}
