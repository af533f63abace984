/** Names written by one person and read by many: one line, with visible characters. */
import { cut } from "./cut.ts"
import { isVisible, withoutUnseen } from "./shown-text.ts"

export const MAX_NAME_LENGTH = 200

/** Characters that would begin a second line. */
const BREAKS = /[\p{Cc}\p{Zl}\p{Zp}]/u

/** The name in at most 200 UTF-16 units; the fallback if none of its characters is visible. */
export const displayName = (text: string, fallback: string): string => {
  const line = withoutUnseen(text).replace(/\s+/gu, " ").trim()
  // A cut within a letter of very many units may leave a joiner behind.
  const name = withoutUnseen(cut(line, MAX_NAME_LENGTH)).trimEnd()
  return isVisible(name) ? name : fallback
}

/** Whether the text is a name in its shown form: one line, with a visible character. */
export const isDisplayName = (text: string): boolean => !BREAKS.test(text) && isVisible(text)
