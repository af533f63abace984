/** Search of the documentation: passages written by the build, an index built at the first search, and a page without scripts. */
import { readFileSync } from "node:fs"
import { Schema } from "effect"
import MiniSearch from "minisearch"
import { escapeHtml } from "../../model/text/escape-html.ts"

const Passage = Schema.Struct({
  page: Schema.String,
  title: Schema.String,
  /** Path of the page, with the anchor of the heading. */
  address: Schema.String,
  text: Schema.String,
})
type Passage = typeof Passage.Type

const LONGEST_QUERY = 100
/** Number of query words used: each costs a walk through the index. */
const WORDS = 8
const RESULTS = 20
/** Characters of a passage shown in a result. */
const EXCERPT = 240

/** Excerpt of the passage that starts shortly before the first match. */
const excerptOf = (text: string, words: ReadonlyArray<string>): string => {
  const places = words.map((word) => text.search(new RegExp(word.replaceAll(/\W/g, "."), "i")))
  const first = Math.max(0, Math.min(...places.filter((at) => at >= 0), text.length) - 60)
  const from = first + EXCERPT > text.length ? Math.max(0, text.length - EXCERPT) : first
  return `${from > 0 ? "… " : ""}${text.slice(from, from + EXCERPT)}${from + EXCERPT < text.length ? " …" : ""}`
}

/** `folder` has `passages.json` and `search.html`. The answer is a whole page with the results. */
export const docsSearch = (folder: URL): ((query: string) => string) => {
  const page = readFileSync(new URL("search.html", folder), "utf8")
  let index: { readonly engine: MiniSearch; readonly passages: ReadonlyArray<Passage> } | undefined
  const opened = () => {
    if (index !== undefined) return index
    const passages = Schema.decodeUnknownSync(Schema.Array(Passage))(
      JSON.parse(readFileSync(new URL("passages.json", folder), "utf8")),
    )
    const engine = new MiniSearch({
      fields: ["title", "page", "text"],
      searchOptions: { boost: { title: 3, page: 2 } },
    })
    engine.addAll(passages.map((passage, id) => ({ id, ...passage })))
    index = { engine, passages }
    return index
  }
  const resultsOf = (query: string): string => {
    const { engine, passages } = opened()
    const words = query.split(/\s+/).slice(0, WORDS).join(" ")
    const found = engine.search(words, { prefix: (term) => term.length > 2, combineWith: "AND" }).slice(0, RESULTS)
    const entries = found.flatMap(({ id, terms }) => {
      const passage = passages[Number(id)]
      if (passage === undefined) return []
      const { page: of, title, address, text } = passage
      const name = title === of ? title : `${of}: ${title}`
      return [
        `<dt><a href="${escapeHtml(address)}">${escapeHtml(name)}</a></dt><dd>${escapeHtml(excerptOf(text, terms))}</dd>`,
      ]
    })
    return entries.length === 0 ? "<p>Nothing was found. Try fewer words.</p>" : `<dl>\n${entries.join("\n")}\n</dl>`
  }
  return (given) => {
    const query = given.slice(0, LONGEST_QUERY).trim()
    const results = query === "" ? "<p>Type a word into the field, and press Enter.</p>" : resultsOf(query)
    const title = query === "" ? "Search" : `Search: ${query}`
    // A function, because a replacement string has special patterns.
    return page.replace("<!-- results -->", () => `<h1>${escapeHtml(title)}</h1>\n${results}`)
  }
}
