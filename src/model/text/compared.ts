/**
 * The forms in which texts are compared. Code outside this folder folds no text: it compares ids and words of protocols, which
 * are ASCII, by `lowerAscii`, and what people write by one of the others (`scripts/check-files.mjs`).
 */
import { withoutUnseen } from "./shown-text.ts"

const IS_ASCII = /^\p{ASCII}*$/u

/** For ids, header values and other words of ASCII: no letter of another script becomes one of them. */
export const lowerAscii = (text: string): string =>
  IS_ASCII.test(text) ? text.toLowerCase() : text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())

export const upperAscii = (text: string): string =>
  IS_ASCII.test(text) ? text.toUpperCase() : text.replace(/[a-z]/g, (letter) => letter.toUpperCase())

/** "account": "Account"; for words of ours. */
export const capital = (text: string): string => upperAscii(text.charAt(0)) + text.slice(1)

/** An order that is the same on every machine. */
export const byCodeUnits = (a: string, b: string): number => Number(a > b) - Number(a < b)

/** How a text looks: two texts with the same look cannot be told apart. Letters may be composed or not (Unicode Annex 15, NFC). */
export const lookOf = (text: string): string => withoutUnseen(text).normalize("NFC").replace(/\s+/gu, " ").trim()

/**
 * Without capitals and without the variants of letters: a capital may have none until it is one. The capital İ is "i" with a dot
 * (U+0307) in some tables of capitals and "i" in others, that of the database among them.
 */
const plain = (text: string): string =>
  text.normalize("NFKC").toLowerCase().replaceAll("i\u0307", "i").normalize("NFKC")

/**
 * For search: capitals, wide and composed letters are found by plain ones (NFKC), and both forms of the Greek sigma by either.
 * The store searches registrants in the same form (`pageRegistrations`).
 */
export const searchForm = (text: string): string => lookOf(plain(text).replaceAll("ς", "σ"))

/** Passwords differ by capitals and blanks, and not by how a keyboard composes a letter or a blank (RFC 8265, OpaqueString). */
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

/** Marks that keyboards give for a hyphen, also the mark for long vowels on a Japanese one. */
const BETWEEN = /[\s\p{Pd}\u2212\u30fc]/gu

/** A code that was typed, also with wide letters and digits, in lower case, without blanks and hyphens. */
export const typedCode = (text: string): string => lookOf(plain(text)).replace(BETWEEN, "").normalize("NFKC")
