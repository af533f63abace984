/** Pure decisions about the slots of a browser: the person in each, and the layer of their picture. */
import type { Layer } from "./layer.ts"
import type { Publication } from "./publication.ts"

/** A picture that a browser shows, in the order of its importance. */
export interface Wanted {
  readonly publication: Publication
  /** In pixels of its screen. */
  readonly height: number
}

/** The person who spoke last comes first; a person who never spoke comes by the order of arrival. */
export const byRecentSpeech = (publications: ReadonlyArray<Publication>): ReadonlyArray<Publication> =>
  publications.toSorted((a, b) => (a.spokeAt === b.spokeAt ? 0 : b.spokeAt - a.spokeAt))

/** Fills the slots with the publications; one that is shown keeps its slot. */
export const placed = (
  slots: ReadonlyArray<Publication | undefined>,
  wanted: ReadonlyArray<Publication>,
): ReadonlyArray<Publication | undefined> => {
  const chosen = wanted.slice(0, slots.length)
  const waiting = chosen.filter((one) => !slots.includes(one))
  return slots.map((shown) => (shown !== undefined && chosen.includes(shown) ? shown : waiting.shift()))
}

const leastOf = (layer: Layer | undefined): number => layer?.bitsPerSecond ?? 0

/**
 * The layer of each picture within the bandwidth: first the smallest of each, then larger ones in the order of importance. Pictures that do
 * not fit are left out, but for the first.
 */
export const layersWithin = (
  wanted: ReadonlyArray<Wanted>,
  bitsPerSecond: number,
  now: number,
): ReadonlyMap<Publication, Layer> => {
  const chosen = new Map<Publication, Layer>()
  let left = bitsPerSecond
  for (const { publication } of wanted) {
    const smallest = publication.smallest(now)
    if (smallest === undefined || (chosen.size > 0 && leastOf(smallest) > left)) continue
    chosen.set(publication, smallest)
    left -= leastOf(smallest)
  }
  for (const { publication, height } of wanted) {
    const [shown, better] = [chosen.get(publication), publication.layerFor(height, now)]
    if (shown === undefined || better === undefined) continue
    const more = leastOf(better) - leastOf(shown)
    if (more > left) continue
    chosen.set(publication, better)
    left -= more
  }
  return chosen
}
