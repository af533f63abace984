/** Names that somebody else wrote and many will read: one line, no characters that hide or turn what stands around them. */

export const MAX_NAME_LENGTH = 200

/** Controls, line and paragraph separators, and the marks that change direction (UAX #9 §2). Joiners stay: scripts need them. */
const UNSHOWN = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]+/gu
const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u
const HALF_PAIR_AT_END = /[\ud800-\udbff]$/

/** The name in at most 200 UTF-16 units; the fallback when nothing of it can be seen. */
export const displayName = (text: string, fallback: string): string => {
  const line = text.replace(UNSHOWN, " ").replace(/\s+/gu, " ").trim()
  const cut = line.slice(0, MAX_NAME_LENGTH).replace(HALF_PAIR_AT_END, "").trimEnd()
  return VISIBLE.test(cut) ? cut : fallback
}

/** Can anything of it be seen? */
export const isVisible = (text: string): boolean => VISIBLE.test(text)

/** Is it a name as it would be shown: nothing in it hides or turns what stands around it, and something can be seen? */
export const isDisplayName = (text: string): boolean => text.search(UNSHOWN) === -1 && VISIBLE.test(text)
