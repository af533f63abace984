/** Short codes that people read from a screen and type. No character looks like another one: no 0, O, 1 or I. */
import { randomInt } from "node:crypto"
import { typedCode, upperAscii } from "./text/compared.ts"

const CHARACTERS = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
const LENGTH = 6

/** One of a thousand million. */
export const newJoinCode = (): string =>
  Array.from({ length: LENGTH }, () => CHARACTERS.charAt(randomInt(CHARACTERS.length))).join("")

/** The code as it is kept: people type small and wide letters, spaces and hyphens. `undefined`: it is none. */
export const parseJoinCode = (text: string): string | undefined => {
  const code = upperAscii(typedCode(text))
  return code.length === LENGTH && [...code].every((character) => CHARACTERS.includes(character)) ? code : undefined
}
