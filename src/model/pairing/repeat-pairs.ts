/** Pairs for people who have met everyone with whom they could still be paired: the oldest meeting is repeated. */
import type { Pairing } from "./pairing.ts"

/** Above this number of people, exchanges with other pairs are not tried: a round has to stay fast. */
const MAX_EXCHANGING = 500

/** `lastMet`: the round in which two people last met, or 0; Infinity for people who must not be paired. */
export const pairAgain = (pairing: Pairing, lastMet: (a: number, b: number) => number): void => {
  const free = pairing.free()
  const possible = free.flatMap((a, at) => free.slice(at + 1).map((b) => ({ a, b, last: lastMet(a, b) })))
  const repeated: Array<number> = []
  for (const { a, b } of possible.sort((one, other) => one.last - other.last)) {
    if (!pairing.isFree(a) || !pairing.isFree(b)) continue
    pairing.pair(a, b)
    repeated.push(a)
  }
  if (pairing.size <= MAX_EXCHANGING) for (const person of repeated) exchange(pairing, person, lastMet)
}

/** Exchanges a repeated pair's partners with those of another pair, if there are then fewer or older repetitions. */
const exchange = (pairing: Pairing, a: number, lastMet: (a: number, b: number) => number): void => {
  const b = pairing.mate(a)
  /** A repeat is worse than any number of rounds between repeats. */
  const badness = (one: number, other: number): number => {
    const last = lastMet(one, other)
    return last === 0 ? 0 : 1_000_000 + last
  }
  let best: { readonly x: number; readonly y: number; readonly badness: number } | undefined
  for (const pair of pairing.pairs()) {
    if (pair.includes(a)) continue
    const now = badness(a, b) + badness(...pair)
    for (const [x, y] of [pair, [pair[1], pair[0]] as const]) {
      const then = badness(a, x) + badness(b, y)
      if (then < now && then - now < (best?.badness ?? 0)) best = { x, y, badness: then - now }
    }
  }
  if (best === undefined) return
  pairing.pair(a, best.x)
  pairing.pair(b, best.y)
}
