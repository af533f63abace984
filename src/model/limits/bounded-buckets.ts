/**
 * Token buckets by key with limited memory. Keys are stored as hashes of 20 bytes, however long they are. The number of keys is limited;
 * the least recently used key is forgotten first, so made-up keys cannot exhaust memory.
 */
import { hash } from "node:crypto"
import { NETWORK_FACTOR, networkOf } from "./client-address.ts"
import { type Bucket, fullBucket, type Rate, takeToken } from "./token-bucket.ts"

export interface Taken {
  /** 0: the tokens were taken; else the milliseconds until they are available, and none is taken. */
  readonly waitMs: number
  /** How many more times the same number could be taken now. */
  readonly left: number
  /** Milliseconds until the bucket is full again. */
  readonly fullInMs: number
}

/** One character per byte. SHA-1 suffices: somebody who makes two keys collide only makes them share one bucket. */
const hashOf = (key: string): string => hash("sha1", key, "binary")

export class BoundedBuckets {
  /** Most keys kept. */
  readonly most: number
  readonly #rate: Rate
  /** Least recently used first. */
  readonly #buckets = new Map<string, Bucket>()

  constructor(rate: Rate, most: number) {
    this.#rate = rate
    this.most = most
  }

  get size(): number {
    return this.#buckets.size
  }

  /** `now`: milliseconds, always of the same clock. */
  take(key: string, now: number, count = 1): Taken {
    const hashed = hashOf(key)
    const bucket = this.#buckets.get(hashed) ?? fullBucket(this.#rate, now)
    this.#buckets.delete(hashed)
    this.#buckets.set(hashed, bucket)
    const oldest = this.#buckets.size > this.most ? this.#buckets.keys().next().value : undefined
    if (oldest !== undefined) this.#buckets.delete(oldest)
    const waitMs = takeToken(bucket, this.#rate, now, { count })
    const fullInMs = ((this.#rate.burst - bucket.tokens) * 1000) / this.#rate.perSecond
    return { waitMs, left: Math.floor(bucket.tokens / count), fullInMs }
  }

  /** Returns tokens to the bucket. */
  giveBack(key: string, count = 1): void {
    const bucket = this.#buckets.get(hashOf(key))
    if (bucket !== undefined) bucket.tokens = Math.min(this.#rate.burst, bucket.tokens + count)
  }
}

/**
 * Token buckets for keys that begin with a client's address, alone or before a space. An IPv6 address counts as its /64, and its /48 has a
 * bucket of its own, so that many addresses of one network do not multiply a caller's rate.
 */
export class AddressBuckets {
  readonly #sites: BoundedBuckets
  readonly #networks: BoundedBuckets

  /** `most`: most keys kept, with a third as many networks. */
  constructor({ perSecond, burst }: Rate, most: number) {
    this.#sites = new BoundedBuckets({ perSecond, burst }, most)
    const wide = { perSecond: perSecond * NETWORK_FACTOR, burst: burst * NETWORK_FACTOR }
    this.#networks = new BoundedBuckets(wide, Math.ceil(most / 3))
  }

  /** Most keys kept, including those of networks. */
  get most(): number {
    return this.#sites.most + this.#networks.most
  }

  take(key: string, now: number, count = 1): Taken {
    const network = networkKey(key)
    // The network comes first: a network over its limit creates no buckets for its many addresses.
    const wide = network === undefined ? undefined : this.#networks.take(network, now, count)
    if (wide !== undefined && wide.waitMs > 0) return wide
    const taken = this.#sites.take(key, now, count)
    if (taken.waitMs > 0 && network !== undefined) this.#networks.giveBack(network, count)
    return taken
  }

  giveBack(key: string, count = 1): void {
    this.#sites.giveBack(key, count)
    const network = networkKey(key)
    if (network !== undefined) this.#networks.giveBack(network, count)
  }
}

/** The key with the address replaced by its network; `undefined` if the address has none. */
export const networkKey = (key: string): string | undefined => {
  const [address = "", ...rest] = key.split(" ")
  const network = networkOf(address)
  return network === undefined ? undefined : [network, ...rest].join(" ")
}
