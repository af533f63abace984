/**
 * Passwords that are guessed first: the most common ones, spaces, and one repeated character. Only new passwords are checked; accounts with
 * such an old password can still sign in.
 */
import { dictionary } from "@zxcvbn-ts/language-common"
import { passwordForm } from "./compared.ts"
import { isVisible } from "./shown-text.ts"

/** Shorter passwords are refused for their length. */
export const FEWEST_CHARACTERS = 8
const LISTED = 10_000

/** The most common passwords in lower case, as in the list, which is sorted by frequency. It costs 3 MB and 50 ms at the start. */
const MOST_COMMON: ReadonlySet<string> = new Set(
  dictionary["passwords-common"].filter(({ length }) => length >= FEWEST_CHARACTERS).slice(0, LISTED),
)

export const isGuessable = (password: string): boolean => {
  const form = passwordForm(password).toLowerCase()
  return !isVisible(form) || new Set(form).size === 1 || MOST_COMMON.has(form)
}
