/** `gathercue keys`: changing SECRET_KEY without loss. */
import { randomBytes } from "node:crypto"
import type { Config } from "../config/config.ts"
import { countSealed, resealAll, type SealedTexts } from "../store/sealing/resealing.ts"
import { CommandFailed } from "./command-failed.ts"
import { withDatabase } from "./reach-database.ts"
import { print } from "./terminal.ts"

/** 256 bits. */
export const newKey = (): string => randomBytes(32).toString("base64url")

/** Longest term of a signed token: that of a signed-out voter's cookie. */
const SIGNED_FOR_DAYS = 30

const nameOf = (index: number): string => (index === 0 ? "SECRET_KEY" : `SECRET_KEYS_OLD, number ${index}`)

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((total, one) => total + one, 0)

const lineOf = (counts: ReadonlyArray<SealedTexts>, key: number): string => {
  const parts = counts.flatMap(({ name, byKey }) => (byKey[key] ? [`${byKey[key]} ${name}`] : []))
  return `${nameOf(key)} opens ${parts.length === 0 ? "nothing" : parts.join(", ")}`
}

/** Prints one line per key, and then the next step. @throws CommandFailed when something opens with no key */
const report = (counts: ReadonlyArray<SealedTexts>, keys: number): void => {
  for (let key = 0; key < keys; key++) print(lineOf(counts, key))
  const older = sum(counts.map(({ byKey }) => sum(byKey.slice(1))))
  if (older > 0) print("gathercue keys reseal seals all of it with SECRET_KEY.")
  else if (keys > 1) {
    print(
      `Nothing in the database needs SECRET_KEYS_OLD. What they signed (links, tokens, cookies) is of use for ${SIGNED_FOR_DAYS} days at most, except links that refuse emails.`,
    )
  }
  const unreadable = counts.filter((one) => one.unreadable > 0).map((one) => `${one.unreadable} ${one.name}`)
  if (unreadable.length > 0) throw new CommandFailed(`None of the keys opens ${unreadable.join(", ")}.`)
}

export const showKeys = async (config: Config): Promise<void> =>
  report(await withDatabase(config, (url) => countSealed(url, config.secretKeys)), config.secretKeys.length)

export const reseal = async (config: Config): Promise<void> =>
  report(await withDatabase(config, (url) => resealAll(url, config.secretKeys)), config.secretKeys.length)
