/**
 * Forms in which texts are compared. Code outside this folder folds no text: it compares ids and protocol words, which are ASCII, by
 * `lowerAscii`, and people's text by one of the other forms (`scripts/check-files.mjs`).
 */
import { withoutUnseen } from "./shown-text.ts"

const IS_ASCII = /^\p{ASCII}*$/u

/** Lower case for ids, header values and other ASCII words: no letter of another script is mapped to an ASCII one. */
export const lowerAscii = (text: string): string =>
  IS_ASCII.test(text) ? text.toLowerCase() : text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())

export const upperAscii = (text: string): string =>
  IS_ASCII.test(text) ? text.toUpperCase() : text.replace(/[a-z]/g, (letter) => letter.toUpperCase())

/** Capitalises an internal ASCII word: "account" becomes "Account". */
export const capital = (text: string): string => upperAscii(text.charAt(0)) + text.slice(1)

/** An order that is the same on every machine. */
export const byCodeUnits = (a: string, b: string): number => Number(a > b) - Number(a < b)

/** Visible form of a text: two texts with the same form cannot be told apart. Letters may be composed or not (Unicode Annex 15, NFC). */
export const lookOf = (text: string): string => withoutUnseen(text).normalize("NFC").replace(/\s+/gu, " ").trim()

/**
 * The text without capitals and variants of letters: a capital may have no variants until it is lower case. The capital İ is "i" with a dot
 * (U+0307) in some case tables and "i" in others, including the database's.
 */
const plain = (text: string): string =>
  text.normalize("NFKC").toLowerCase().replaceAll("i\u0307", "i").normalize("NFKC")

/**
 * Form for searching: plain letters find capitals, wide and composed letters (NFKC), and both forms of the Greek sigma find each other. The
 * store searches its texts in the same form (`matches`).
 */
export const searchForm = (text: string): string => lookOf(plain(text).replaceAll("ς", "σ"))

/** Passwords differ by capitals and spaces, but not by how a keyboard composes a letter or a space (RFC 8265, OpaqueString). */
export const passwordForm = (text: string): string => text.replace(/\p{Zs}/gu, " ").normalize("NFC")

/** Letters and digits of ASCII in lower case, with hyphens between words. */
export const slugOf = (name: string): string =>
  name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 40)
    .replace(/-+$/, "")

/** Characters that keyboards produce for a hyphen, including the mark for long vowels on a Japanese one. */
const BETWEEN = /[\s\p{Pd}\u2212\u30fc]/gu

/** A typed code in lower case, without spaces and hyphens; wide letters and digits are accepted. */
export const typedCode = (text: string): string => lookOf(plain(text)).replace(BETWEEN, "").normalize("NFKC")
