/** Short codes that people read from a screen and type. No character looks like another one: no 0, O, 1 or I. */
import { randomInt } from "node:crypto"
import { typedCode, upperAscii } from "./text/compared.ts"

const CHARACTERS = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
const LENGTH = 6

/** Creates one of about a thousand million codes. */
export const newJoinCode = (): string =>
  Array.from({ length: LENGTH }, () => CHARACTERS.charAt(randomInt(CHARACTERS.length))).join("")

/** The code in its stored form: people type lower-case and wide characters, spaces and hyphens. `undefined`: the text is not a code. */
export const parseJoinCode = (text: string): string | undefined => {
  const code = upperAscii(typedCode(text))
  return code.length === LENGTH && [...code].every((character) => CHARACTERS.includes(character)) ? code : undefined
}
