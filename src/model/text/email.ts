/**
 * E-mail addresses: the one form in which an address is stored, looked up and compared, and the syntax of an address. Every
 * stored address passes `isEmail`. An address for a look-up need not: accounts with addresses stored under older rules can
 * still sign in.
 */

export const MAX_EMAIL_LENGTH = 320

/** In NFC (Unicode Standard Annex 15), so that addresses that look the same are the same. */
export const foldEmail = (email: string): string => email.trim().toLowerCase().normalize("NFC")

/** Letters, marks and digits of any script (RFC 6531), and the signs that need no quotes (RFC 5322 §3.2.3, `atext`). */
const LOCAL_PART = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u
const LABEL = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?$/u
const MAX_DOMAIN_LENGTH = 253
/** Letters of these scripts look alike: a label that mixes them imitates another one. */
const LOOK_ALIKE = [/\p{Script=Latin}/u, /\p{Script=Cyrillic}/u, /\p{Script=Greek}/u]

const isLabel = (label: string): boolean =>
  LABEL.test(label) && LOOK_ALIKE.filter((script) => script.test(label)).length <= 1

/** A single label is a domain too: a mail server may serve `localhost` or a company's own network. A number is none. */
const isDomain = (text: string): boolean => {
  const labels = text.split(".")
  return text.length <= MAX_DOMAIN_LENGTH && labels.every(isLabel) && !/^\d*$/.test(labels.at(-1) ?? "")
}

/** No markup, quotes or invisible characters, dots only between other characters, and a host name after the one `@`. */
export const isEmail = (text: string): boolean => {
  if (text.length > MAX_EMAIL_LENGTH) return false
  const [local = "", domain, ...more] = text.trim().split("@")
  return domain !== undefined && more.length === 0 && LOCAL_PART.test(local) && isDomain(domain)
}

/** Could an account have the address, also one made under older checks? Text before and after one `@`. */
export const isKnownEmail = (text: string): boolean =>
  text.length <= MAX_EMAIL_LENGTH && /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(text.trim())
