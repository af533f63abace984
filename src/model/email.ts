/** E-mail addresses: one form of each, how it is stored, looked up and compared; and what an address looks like at all. */

export const MAX_EMAIL_LENGTH = 320

export const foldEmail = (email: string): string => email.trim().toLowerCase()

/** Something before and after one `@`, without spaces or control characters. */
export const isEmail = (text: string): boolean =>
  text.length <= MAX_EMAIL_LENGTH && /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(text.trim())
