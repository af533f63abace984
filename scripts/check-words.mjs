/**
 * The comments of the product are sentences or noun phrases in the terms of the field. Refuses doc comments that begin as a fragment
 * ("By kind."), and listed words, except on the lines below, each with its reason. Lists every breach and exits 1.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))

/** A listed word, and its replacement. */
const WORDS = [
  [/\bletters?\b/i, "email, or character"],
  [/\bsteer(?:s|ed|ing)?\b/i, "control"],
  [/\b(?:a reading |for )nobody\b/i, "an empty read, or unused"],
  [/\bthe house\b/i, "the server, or the operator"],
  [/\bmost under way\b/i, "limit of concurrent …"],
]

const ALPHABET = "letters of an alphabet"

/** A file, the reason, and a piece of each line of a comment that is allowed there. */
const EXCEPTIONS = [
  ["src/model/text/compared.ts", ALPHABET, ["no letter of another", "Letters may be composed", "variants of letters"]],
  ["src/model/text/compared.ts", ALPHABET, ["plain letters", "composes a", "Letters and digits", "wide letters"]],
  ["src/model/text/cut.ts", ALPHABET, ["No letter is cut", "a longer letter"]],
  ["src/model/text/display-name.ts", ALPHABET, ["A cut within a letter"]],
  ["src/model/text/email.ts", ALPHABET, ["letters (UTS 46)", "letters, so", "Letters, marks", "Letters of these"]],
  ["src/model/text/identifiers.ts", ALPHABET, ["ASCII letters"]],
  ["src/model/text/shown-text.ts", ALPHABET, ["letters join", "A visible letter"]],
].flatMap(([file, reason, pieces]) => pieces.map((piece) => ({ file, reason, piece })))

/** Generated from the contract. */
const GENERATED = /^packages\/client\/src\/contract\//

const START = /^(?:Of|By|With|For|As|Where|Which|Those|Also)\b/
const FEWEST_WORDS = 8

const listed = (folder) =>
  readdirSync(join(root, folder), { recursive: true })
    .filter((name) => !/(?:^|\/)(?:node_modules|dist)\//.test(name))
    .map((name) => join(folder, name))
const packages = readdirSync(join(root, "packages")).map((name) => `packages/${name}/src`)
const files = [
  ...listed("src").filter((name) => name.endsWith(".ts")),
  ...packages.flatMap(listed).filter((name) => /\.tsx?$/.test(name) && !GENERATED.test(name)),
  ...listed("src/store/sql/functions").filter((name) => name.endsWith(".sql")),
]

const withoutStrings = (line) => line.replace(/"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\\n]|\\.)*`/g, '""')

/** The comments of a file, each with its lines of text and the number of the first. A block comment begins its line or is in JSX. */
function commentsOf(file, text) {
  const found = []
  const lines = text.split("\n")
  const line = file.endsWith(".sql") ? "--" : "//"
  const opened = new RegExp(`^\\s*(?:${line}|\\{?(/\\*\\*?))(.*)$`)
  for (let at = 0; at < lines.length; at++) {
    const match = opened.exec(lines[at])
    if (match === null) {
      const code = withoutStrings(lines[at])
      const start = code.search(new RegExp(`(?:^|\\s)${line}\\s`))
      if (start >= 0) found.push({ first: at + 1, isDoc: false, lines: [code.slice(start).trim().slice(2)] })
      continue
    }
    const [, block, rest] = match
    const comment = { first: at + 1, isDoc: block === "/**", lines: [rest] }
    if (block !== undefined) while (!lines[at].includes("*/") && at + 1 < lines.length) comment.lines.push(lines[++at])
    comment.lines = comment.lines.map((words) =>
      words
        .replace(/\*\/.*$/, "")
        .replace(/^\s*\*/, "")
        .trim(),
    )
    found.push(comment)
  }
  return found
}

/** The first sentence, to its full stop, colon or semicolon. */
const firstSentence = (comment) => /^.*?(?=[.:;?!](?:\s|$)|$)/.exec(comment.lines.join(" ").trim())[0]

const isFragment = (sentence) =>
  START.test(sentence) &&
  (sentence.startsWith("Of ") || (!sentence.includes(",") && sentence.split(/\s+/).length < FEWEST_WORDS))

const used = new Set()
const isAllowed = (file, words) => {
  const exception = EXCEPTIONS.find((one) => one.file === file && words.includes(one.piece))
  if (exception !== undefined) used.add(exception)
  return exception !== undefined
}

function breachesOf(file) {
  const found = []
  for (const comment of commentsOf(file, readFileSync(join(root, file), "utf8"))) {
    const sentence = firstSentence(comment)
    if (comment.isDoc && isFragment(sentence) && !isAllowed(file, sentence))
      found.push(`${file}:${comment.first}: a fragment; name the subject: ${sentence}`)
    comment.lines.forEach((words, index) => {
      const prose = words.replace(/`[^`]*`/g, "``")
      const word = WORDS.find(([pattern]) => pattern.test(prose))
      if (word !== undefined && !isAllowed(file, words))
        found.push(`${file}:${comment.first + index}: "${word[0].exec(prose)[0]}" is "${word[1]}": ${words}`)
    })
  }
  return found
}

const breaches = files.flatMap(breachesOf)
for (const { file, reason, piece } of EXCEPTIONS.filter((one) => !used.has(one)))
  breaches.push(`scripts/check-words.mjs: no line of ${file} needs the exception "${piece}" (${reason})`)
for (const breach of breaches) console.error(breach)
if (breaches.length > 0) process.exit(1)
console.log(`${files.length} files have comments in plain words`)
