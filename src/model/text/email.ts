/**
 * Email addresses: the one form in which an address is stored, looked up and compared, and the syntax of an address. Every stored address
 * passes `isEmail`. An address for a look-up need not: accounts with addresses stored under older rules can still sign in.
 */
import { domainToASCII, domainToUnicode } from "node:url"

export const MAX_EMAIL_LENGTH = 320

const INTERNATIONAL = /[^\0-\x7f]|xn--/

/**
 * The domain in Unicode letters (UTS 46): `xn--bcher-kva.example` and `BÜCHER.example` become the same. The text may be no valid domain.
 */
const inLetters = (domain: string): string =>
  INTERNATIONAL.test(domain) ? domainToUnicode(domainToASCII(domain)) || domain.normalize("NFC") : domain

/** Form that older accounts may have, if another account already has the current form. */
export const spelledEmail = (email: string): string => email.trim().toLowerCase()

/** The address in NFC (Unicode Standard Annex 15) and with the domain in Unicode letters, so that equal addresses look the same. */
export const foldEmail = (email: string): string => {
  const lower = spelledEmail(email)
  const at = lower.lastIndexOf("@") + 1
  return at === 0 ? lower.normalize("NFC") : lower.slice(0, at).normalize("NFC") + inLetters(lower.slice(at))
}

/** Forms in which an address may be stored: older rows keep their spelling if another row already has the form. */
export const storedForms = (email: string): ReadonlyArray<string> => [
  ...new Set([foldEmail(email), spelledEmail(email)]),
]

/** The domain of an address as in DNS; empty if it cannot be one. */
export const domainOfEmail = (email: string): string => {
  const domain = email.slice(email.lastIndexOf("@") + 1).toLowerCase()
  return INTERNATIONAL.test(domain) ? domainToASCII(domain) : domain
}

/** Letters, marks and digits of any script (RFC 6531), and the signs that need no quotes (RFC 5322 §3.2.3, `atext`). */
const LOCAL_PART = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u
const LABEL = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?$/u
const MAX_DOMAIN_LENGTH = 253
/** Letters of these scripts look alike: a label that mixes them imitates another one. */
const LOOK_ALIKE = [/\p{Script=Latin}/u, /\p{Script=Cyrillic}/u, /\p{Script=Greek}/u]

const isLabel = (label: string): boolean =>
  LABEL.test(label) && LOOK_ALIKE.filter((script) => script.test(label)).length <= 1

/**
 * Whether the text is a domain. A single label is one too: a mail server may serve `localhost` or a company's own network. A number is not.
 */
const isDomain = (text: string): boolean => {
  const labels = text.split(".")
  return text.length <= MAX_DOMAIN_LENGTH && labels.every(isLabel) && !/^\d*$/.test(labels.at(-1) ?? "")
}

/**
 * Whether the text is an address: no markup, quotes or invisible characters, dots only between other characters, and a host name after the
 * one `@`.
 */
export const isEmail = (text: string): boolean => {
  if (text.length > MAX_EMAIL_LENGTH) return false
  const [local = "", domain, ...more] = text.trim().split("@")
  return (
    domain !== undefined &&
    more.length === 0 &&
    LOCAL_PART.test(local) &&
    isDomain(domain) &&
    isDomain(inLetters(domain.toLowerCase()))
  )
}

/** Whether an account could have the address, including under older checks: text before and after one `@`. */
export const isKnownEmail = (text: string): boolean =>
  text.length <= MAX_EMAIL_LENGTH && /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(text.trim())
