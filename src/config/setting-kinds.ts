/** Kinds of settings, and how each is read from the environment. No message holds the value of a secret. */
import { Config, Redacted, Schema, SchemaTransformation } from "effect"
import { FEWEST_KEY_CHARACTERS } from "../crypto/secret-key.ts"
import type { KeyName } from "./keys.ts"

/** Text that satisfies the rule. */
export const text = (rule: string, holds: (value: string) => boolean): Schema.Codec<string> =>
  Schema.String.check(Schema.makeFilter((value) => holds(value) || rule))

/** Like `text`, for values that may be shown. */
export const shownText = (rule: string, holds: (value: string) => boolean): Schema.Codec<string> =>
  Schema.String.check(Schema.makeFilter((value) => holds(value) || `${rule}, but is "${value}"`))

export const numberFrom = (schema: Schema.Codec<string>): Schema.Codec<number, string> =>
  schema.pipe(Schema.decodeTo(Schema.Number, SchemaTransformation.transform({ decode: Number, encode: String })))

export const required = <A>(name: KeyName, schema: Schema.Codec<A, string>, fallback: A): Config.Config<A> =>
  Config.schema(schema, name).pipe(Config.withDefault(fallback))

export const optional = <A>(name: KeyName, schema: Schema.Codec<A, string>): Config.Config<A | null> =>
  Config.schema(schema, name).pipe(Config.withDefault(null))

export const anything = (name: KeyName, fallback: string): Config.Config<string> =>
  required(name, Schema.String, fallback)

/** A whole number within inclusive bounds. */
export const wholeNumber = (minimum: number, maximum: number): Schema.Codec<number, string> => {
  const isInRange = (value: string): boolean =>
    /^\d+$/.test(value) && Number(value) >= minimum && Number(value) <= maximum
  return numberFrom(shownText(`must be a whole number from ${minimum} to ${maximum}`, isInRange))
}

export const integer = (name: KeyName, fallback: number, minimum: number, maximum: number): Config.Config<number> =>
  required(name, wholeNumber(minimum, maximum), fallback)

export const literals = <const L extends ReadonlyArray<string>>(allowed: L): Schema.Codec<L[number], string> =>
  shownText(`must be one of ${allowed.join(", ")}`, (value) => allowed.includes(value)) as Schema.Codec<
    L[number],
    string
  >

export const isUrl = (value: string, protocols: ReadonlyArray<string>): boolean =>
  URL.canParse(value) && protocols.includes(new URL(value).protocol)

/** An address without trailing slashes. */
export const url = (...protocols: ReadonlyArray<string>): Schema.Codec<string> =>
  text(`must be a URL that starts with ${protocols.map((protocol) => `${protocol}//`).join(" or ")}`, (value) =>
    isUrl(value, protocols),
  ).pipe(
    Schema.decodeTo(
      Schema.String,
      SchemaTransformation.transform({
        decode: (value) => value.replace(/\/+$/, ""),
        encode: (value: string) => value,
      }),
    ),
  )

/** Whether an address is truncated within its password, which has a character with a meaning in addresses. */
const isCutShort = (value: string): boolean => {
  if (!value.includes("@")) return false
  if (!URL.canParse(value)) return true
  const { username, password, hash } = new URL(value)
  try {
    decodeURIComponent(password)
  } catch {
    return true
  }
  return username === "" || hash !== ""
}

/** An address with a user and a password. */
export const urlWithPassword = (...protocols: ReadonlyArray<string>): Schema.Codec<string> =>
  text(
    "has a character in its password, or its user, that must be percent-encoded (%40 for @, %23 for #, %2F for /, %3F for ?, %25 for %)",
    (value) => !isCutShort(value),
  ).pipe(Schema.decodeTo(url(...protocols)))

export const isOrigin = (value: string): boolean => {
  if (!isUrl(value, ["http:", "https:"])) return false
  const { pathname, search, hash, username } = new URL(value)
  return pathname === "/" && [search, hash, username].every((part) => part === "")
}

export const redacted = (
  name: KeyName,
  schema: Schema.Codec<string>,
): Config.Config<Redacted.Redacted<string> | null> =>
  Config.map(optional(name, schema), (value) => (value === null ? null : Redacted.make(value)))

export const secret = (name: KeyName): Config.Config<Redacted.Redacted<string> | null> =>
  redacted(
    name,
    text(`must have at least ${FEWEST_KEY_CHARACTERS} characters`, ({ length }) => length >= FEWEST_KEY_CHARACTERS),
  )
