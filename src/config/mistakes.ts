/** Probable mistakes of an operator: guessable secrets, and variable names that are almost keys. */
import { lowerAscii } from "../model/text/compared.ts"
import { CONFIG_KEYS, type KeyName } from "./keys.ts"

export type Environment = { readonly [name: string]: string | undefined }

export interface Suspicion {
  readonly sentence: string
  /** Whether production refuses it; elsewhere it is a warning. */
  readonly isGrave: boolean
}

const FEWEST_LETTERS = 8
const PLACEHOLDER = /change.?(?:me|it|this)|example|placeholder|password|replace.?(?:me|this)|your.?(?:secret|key)/i

const repeats = (text: string): boolean =>
  Array.from({ length: Math.floor(text.length / 2) }, (_, n) => n + 1).some(
    (period) => text.slice(period) === text.slice(0, -period),
  )

/** Whether most characters continue the previous one, as in an alphabet or a row of digits. */
const counts = (text: string): boolean => {
  const codes = Array.from(text, (letter) => letter.charCodeAt(0))
  const steps = codes.filter((code, at) => at > 0 && Math.abs(code - (codes[at - 1] ?? 0)) === 1)
  return steps.length > text.length / 2
}

/** Reasons that apply to no random key of at least 32 characters. */
const WEAKNESSES: ReadonlyArray<readonly [reason: string, holds: (secret: string) => boolean]> = [
  ["has too few different characters", (secret) => new Set(secret).size < FEWEST_LETTERS],
  ["repeats a shorter text", repeats],
  ["counts through an alphabet", counts],
  ["is a placeholder", (secret) => PLACEHOLDER.test(secret)],
]

export const weaknessOf = (secret: string): string | undefined => {
  const [reason] = WEAKNESSES.find(([, holds]) => holds(secret)) ?? []
  return reason && `${reason} and can be guessed; gathercue keys new makes one`
}

/** Keys without which a server is open, or works on other data. A misspelt one is therefore refused, unless the key itself is also set. */
const GRAVE: ReadonlySet<string> = new Set<KeyName>([
  "CLUSTER_ADDRESS",
  "DATABASE_URL",
  "DATA_DIR",
  "RTC_POLICY",
  "S3_URL",
  "SECRET_KEYS_OLD",
  "SIGNUP",
  "TRUSTED_PROXIES",
])
/** Names used by other programs for the meaning of a key. */
const ALIASES: Readonly<Record<string, KeyName>> = {
  CLUSTER_SECRET_OLD: "CLUSTER_SECRET_OTHER",
  EMAIL_FROM: "MAIL_FROM",
  S3_ACCESS_KEY: "S3_ACCESS_KEY_ID",
  S3_SECRET_KEY: "S3_SECRET_ACCESS_KEY",
  SMTP_FROM: "MAIL_FROM",
}
/** Names of other programs that resemble a key. */
const OTHERS: ReadonlySet<string> = new Set([
  "ADMIN_HOST",
  "ADMIN_USER",
  "AWS_ACCESS_KEY_ID",
  "AWS_SECRET_ACCESS_KEY",
  "DATABASE_PORT",
])
const PREFIX = "GATHERCUE_"
/** Shorter names are ignored, because too many programs have variables like HOST, PORT and WEB. */
const SHORTEST = 6
const LETTERS_FOR_A_SLIP = 5
const MOST_SLIPS = 3

/** Number of characters added, left out, changed or swapped between the two (optimal string alignment). */
const slipsBetween = (one: string, other: string): number => {
  let [twoBefore, before]: [number[], number[]] = [[], Array.from({ length: other.length + 1 }, (_, n) => n)]
  for (let i = 1; i <= one.length; i++) {
    const row = [i]
    for (let j = 1; j <= other.length; j++) {
      const isSwap = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      row[j] = Math.min(
        (before[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (before[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1),
        isSwap ? (twoBefore[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    ;[twoBefore, before] = [before, row]
  }
  return before[other.length] ?? 0
}

const NAMES: ReadonlyArray<KeyName> = CONFIG_KEYS.map(({ name }) => name)

/** Key meant by an unknown name. */
const meantBy = (name: string): KeyName | undefined => {
  const own = name.startsWith(PREFIX) ? name.slice(PREFIX.length) : name
  const near = NAMES.filter(({ length }) => length >= SHORTEST && Math.abs(length - own.length) <= MOST_SLIPS)
    .map((key) => ({ key, slips: slipsBetween(lowerAscii(own), lowerAscii(key)) }))
    .filter(({ key, slips }) => slips <= Math.min(MOST_SLIPS, Math.floor(key.length / LETTERS_FOR_A_SLIP)))
    .toSorted((a, b) => a.slips - b.slips)
  return near[0]?.key
}

const isKey = (name: string): boolean => NAMES.some((key) => key === name)

/** Variables that are almost keys. All others belong to other programs. */
export const misspelt = (env: Environment): ReadonlyArray<Suspicion> =>
  Object.keys(env).flatMap((name) => {
    if (isKey(name) || OTHERS.has(name)) return []
    const alias = Object.hasOwn(ALIASES, name) ? ALIASES[name] : undefined
    const key = alias ?? meantBy(name)
    if (key === undefined) return []
    const isUnset = (env[key]?.trim() ?? "") === ""
    return [{ sentence: `${name} is no key; did you mean ${key}?`, isGrave: isUnset && GRAVE.has(key) }]
  })
