/** Counts the sockets of each address, so that no address takes all of the capacity. */
import { NETWORK_FACTOR, networkOf } from "../../model/limits/client-address.ts"

export class SocketAddresses {
  readonly #open = new Map<string, number>()
  readonly #most: number

  /** `most`: the limit of one address; an IPv6 /48 may have more (`NETWORK_FACTOR`). */
  constructor(most: number) {
    this.#most = most
  }

  /** Whether one more socket may be opened. */
  admits(address: string): boolean {
    const network = networkOf(address)
    if ((this.#open.get(address) ?? 0) >= this.#most) return false
    return network === undefined || (this.#open.get(network) ?? 0) < this.#most * NETWORK_FACTOR
  }

  opened(address: string): void {
    for (const key of keysOf(address)) this.#open.set(key, (this.#open.get(key) ?? 0) + 1)
  }

  closed(address: string): void {
    for (const key of keysOf(address)) {
      const left = (this.#open.get(key) ?? 0) - 1
      if (left > 0) this.#open.set(key, left)
      else this.#open.delete(key)
    }
  }
}

const keysOf = (address: string): ReadonlyArray<string> => {
  const network = networkOf(address)
  return network === undefined ? [address] : [address, network]
}
