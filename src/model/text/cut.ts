/** A surrogate pair is one character; half of it is not. */
const HALF_PAIR_AT_END = /[\ud800-\udbff]$/

const letters = new Intl.Segmenter()

/**
 * The beginning of a text, in at most `most` UTF-16 units. No letter is cut (Unicode Annex 29): a cut flag or family would leave another
 * emoji. A text that begins with a longer letter is cut within it.
 */
export const cut = (text: string, most: number): string => {
  if (text.length <= most) return text
  const start = letters.segment(text).containing(most)?.index ?? 0
  return start === 0 ? text.slice(0, most).replace(HALF_PAIR_AT_END, "") : text.slice(0, start)
}
