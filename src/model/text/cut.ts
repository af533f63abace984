/** A pair of UTF-16 units is one character, such as an emoji: half of it is none. */
const HALF_PAIR_AT_END = /[\ud800-\udbff]$/

/** The beginning of a text, in at most `most` UTF-16 units. */
export const cut = (text: string, most: number): string =>
  text.length <= most ? text : text.slice(0, most).replace(HALF_PAIR_AT_END, "")
