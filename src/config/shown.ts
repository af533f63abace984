/** Settings in a form that may be shown and sent to others: without secrets, and without credentials in addresses. */
import { CONFIG_KEYS, type KeyName } from "./keys.ts"
import type { Environment } from "./mistakes.ts"

interface ShownSetting {
  readonly name: KeyName
  /** A secret is shown as `MASK`. */
  readonly value: string
  readonly isSet: boolean
}

export const MASK = "(masked)"

/** Everything up to the last `@`, because a password may contain any character. */
const USER = /([a-z][a-z\d+.-]*:\/\/)([^\s,]*)@/gi
const PARAMETER = /([?&][^=&\s#,]+=)([^&\s#,]+)/g

const withoutCredentials = (text: string): string => text.replace(USER, `$1${MASK}@`).replace(PARAMETER, `$1${MASK}`)

/** Keys whose names say that their value gives access, although it is no secret by itself. */
const isKeptBack = (key: (typeof CONFIG_KEYS)[number]): boolean => "secret" in key || /_KEY(?:_ID)?$/.test(key.name)

const givenFor = (env: Environment, name: KeyName): string => env[name]?.trim() ?? ""

/** Every key with its effective value. An unusable value is shown as given. */
export const shownSettings = (env: Environment): ReadonlyArray<ShownSetting> =>
  CONFIG_KEYS.map((key) => {
    const value = givenFor(env, key.name)
    if (value === "") return { name: key.name, value: key.fallback, isSet: false }
    return { name: key.name, value: isKeptBack(key) ? MASK : withoutCredentials(value), isSet: true }
  })

/** Configuration as shown to an operator, and the mask that hides its secrets in other texts. */
export interface Shown {
  readonly settings: ReadonlyArray<ShownSetting>
  readonly mask: (text: string) => string
}

export const shownOf = (env: Environment): Shown => ({ settings: shownSettings(env), mask: masking(env, []) })

/** A shorter text would match within words. */
const SHORTEST = 4

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** A header's value may be a scheme and a token. */
const lastWord = (text: string): string => decoded(text).split(" ").at(-1) ?? ""

const usersIn = (value: string): ReadonlyArray<string> =>
  Array.from(value.matchAll(USER), ([, , user = ""]) => user).flatMap((user) => {
    const [name, ...password] = user.split(":")
    // A name alone is a token; with a password it is no secret, and may be any word.
    return password.length === 0 ? [name ?? ""] : [user, password.join(":")]
  })

/** A value from a list, from pairs or from an address may appear separately elsewhere. */
const partsOf = (value: string): ReadonlyArray<string> => {
  const listed = value.split(",").map((part) => part.trim())
  const paired = listed.map((pair) => pair.slice(pair.indexOf("=") + 1).trim())
  const parameters = Array.from(value.matchAll(PARAMETER), ([, , parameter = ""]) => parameter)
  return [value, ...listed, ...paired, ...paired.map(lastWord), ...usersIn(value), ...parameters]
}

const secretsOf = (env: Environment): ReadonlyArray<string> =>
  CONFIG_KEYS.flatMap((key) => {
    const value = givenFor(env, key.name)
    if (isKeptBack(key)) return partsOf(value)
    return withoutCredentials(value) === value ? [] : partsOf(value).filter((part) => part !== value)
  })

/** Masks every secret of the environment, and the given ones, in any text. */
export const masking = (env: Environment, others: ReadonlyArray<string>): ((text: string) => string) => {
  const all = [...secretsOf(env), ...others].flatMap((text) => [text, decoded(text), encodeURIComponent(text)])
  const secrets = [...new Set(all)].filter(({ length }) => length >= SHORTEST).toSorted((a, b) => b.length - a.length)
  return (text) => withoutCredentials(secrets.reduce((masked, secret) => masked.replaceAll(secret, MASK), text))
}
