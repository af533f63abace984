/** Names that somebody else wrote and many will read: one line, of what can be seen. */
import { isVisible, withoutUnseen } from "./shown-text.ts"

export const MAX_NAME_LENGTH = 200

/** What would make a second line of it. */
const BREAKS = /[\p{Cc}\p{Zl}\p{Zp}]/u
const HALF_PAIR_AT_END = /[\ud800-\udbff]$/

/** The name in at most 200 UTF-16 units; the fallback when nothing of it can be seen. */
export const displayName = (text: string, fallback: string): string => {
  const line = withoutUnseen(text).replace(/\s+/gu, " ").trim()
  // What is cut in the middle of an emoji leaves a joiner behind.
  const cut = withoutUnseen(line.slice(0, MAX_NAME_LENGTH).replace(HALF_PAIR_AT_END, "")).trimEnd()
  return isVisible(cut) ? cut : fallback
}

/** Is it a name as it would be shown: on one line, and something can be seen? */
export const isDisplayName = (text: string): boolean => !BREAKS.test(text) && isVisible(text)
