/** Comments of the contract's source. Schemas do not carry them, and users of the client read them in their editor. */
import { readFileSync } from "node:fs"

/** `Const.member` → its comment, for the members that stand at the first level of an exported constant. */
export type Comments = ReadonlyMap<string, string>

const EXPORTED = /^export const (\w+)\b/
const MEMBER = /^ {2}"?([\w.]+)"?:/

const textOf = (comment: string): string =>
  comment
    .replace(/\s*\*\/\s*$/, "")
    .replaceAll(/\s*\n\s*\*\s?/g, " ")
    .replace(/^\s*\/\*\*\s*/, "")
    .trim()

/** A comment, or a line without any. */
const PIECE = /^[ \t]*(\/\*\*[\s\S]*?\*\/)|^.*$/gm

/** The comments of one source. */
const commentsIn = (source: string): ReadonlyArray<readonly [string, string]> => {
  const found: Array<readonly [string, string]> = []
  let constant = ""
  let comment = ""
  for (const [line, text] of source.matchAll(PIECE)) {
    if (line === "" && comment !== "") continue
    const name = EXPORTED.exec(line)?.[1]
    constant = name ?? constant
    const member = MEMBER.exec(line)?.[1]
    const path = name ?? (member === undefined ? undefined : `${constant}.${member}`)
    if (path !== undefined && comment !== "") found.push([path, textOf(comment)])
    comment = text ?? ""
  }
  return found
}

export const commentsOf = (files: ReadonlyArray<URL>): Comments =>
  new Map(files.flatMap((file) => commentsIn(readFileSync(file, "utf8"))))
