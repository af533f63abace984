/** The blocks of code in the documents. */
import { readdirSync, readFileSync } from "node:fs"

/** Paths of the documents for readers, without what is generated. */
export const DOCUMENTS: ReadonlyArray<string> = [
  "README.md",
  "ARCHITECTURE.md",
  ...readdirSync(new URL("../../docs", import.meta.url), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md") && !name.startsWith("reference/"))
    .map((name) => `docs/${name}`)
    .toSorted(),
]

interface CodeBlock {
  readonly document: string
  /** Empty where the block names none. */
  readonly language: string
  readonly code: string
}

/** The guides whose calls run in one shell, in the order in which they continue each other. */
export const CALLS = ["start", "people", "questions", "rest", "broadcasts", "recordings", "webhooks"].map(
  (name) => `docs/${name}.md`,
)

const FENCED = /^( *)```(\w*)\n(.*?)^ *```$/gms

/** Those of one document, in order, without the indentation of a list. */
export const blocksOf = (document: string): ReadonlyArray<CodeBlock> => {
  const text = readFileSync(new URL(`../../${document}`, import.meta.url), "utf8")
  return Array.from(text.matchAll(FENCED), ([, indentation = "", language = "", code = ""]) => ({
    document,
    language,
    code: code.replaceAll(new RegExp(`^${indentation}`, "gm"), ""),
  }))
}
