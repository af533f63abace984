/** Written answers of polls: which are the same, and which words they contain. */
import { hash } from "node:crypto"
import { searchForm } from "../text/compared.ts"

/** Id of an answer within its poll: answers that differ only by capitals and variants of characters are one. */
export const answerId = (text: string): string => hash("sha256", searchForm(text), "hex").slice(0, 24)

const wordsOf = (text: string): ReadonlyArray<string> => searchForm(text).split(/[^\p{L}\p{M}\p{N}]+/u)

/** Whether the answer contains one of the words, or words in a row. */
export const containsOneOf = (text: string, blocked: ReadonlyArray<string>): boolean => {
  const padded = ` ${wordsOf(text).join(" ")} `
  return blocked.some((one) => {
    const words = wordsOf(one).filter((word) => word !== "")
    return words.length > 0 && padded.includes(` ${words.join(" ")} `)
  })
}
