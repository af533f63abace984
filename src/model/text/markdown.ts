/**
 * Markdown (GitHub's, with line breaks kept) as HTML. The parser only yields tokens, and this file alone writes elements: HTML in the text
 * becomes text, a link leads to the web or to a mailbox, and a picture becomes a link to it. No markup of the text reaches the result, so
 * that nothing has to be taken out of it afterwards.
 */
import { LRUCache } from "lru-cache"
import { lexer, type MarkedToken, type Token, type Tokens } from "marked"
import { escapeHtml } from "./escape-html.ts"

const PROTOCOLS: ReadonlySet<string> = new Set(["https:", "http:", "mailto:"])
const isSafe = (href: string): boolean => URL.canParse(href) && PROTOCOLS.has(new URL(href).protocol)

const link = (href: string, content: string): string =>
  isSafe(href)
    ? `<a href="${escapeHtml(new URL(href).href)}" target="_blank" rel="noopener noreferrer nofollow">${content}</a>`
    : content

const LOWEST_HEADING = 6

/** Links within a link are its text. */
const write = (tokens: ReadonlyArray<Token>, inLink = false): string =>
  tokens.map((token) => element(token as MarkedToken, inLink)).join("")

const list = ({ ordered, start, items }: Tokens.List): string => {
  const written = items.map(({ tokens }) => `<li>${write(tokens)}</li>`).join("")
  return ordered ? `<ol start="${Number(start)}">${written}</ol>` : `<ul>${written}</ul>`
}

const table = ({ header, rows }: Tokens.Table): string => {
  const row = (cells: ReadonlyArray<Tokens.TableCell>, name: "th" | "td") =>
    `<tr>${cells.map(({ tokens }) => `<${name}>${write(tokens)}</${name}>`).join("")}</tr>`
  const body = rows.map((cells) => row(cells, "td")).join("")
  return `<table><thead>${row(header, "th")}</thead><tbody>${body}</tbody></table>`
}

const element = (token: MarkedToken, inLink: boolean): string => {
  switch (token.type) {
    case "space":
    case "def":
      return ""
    case "paragraph":
      return `<p>${write(token.tokens)}</p>`
    case "heading": {
      // The title of the event is the first heading of its page.
      const level = Math.min(LOWEST_HEADING, token.depth + 1)
      return `<h${level}>${write(token.tokens)}</h${level}>`
    }
    case "blockquote":
      return `<blockquote>${write(token.tokens)}</blockquote>`
    case "list":
      return list(token)
    case "table":
      return table(token)
    case "code":
      return `<pre><code>${escapeHtml(token.text)}</code></pre>`
    case "hr":
      return "<hr>"
    case "br":
      // The line break is one of the text too, for programs that copy it.
      return "<br>\n"
    case "strong":
    case "em":
    case "del":
      return `<${token.type}>${write(token.tokens, inLink)}</${token.type}>`
    case "codespan":
      return `<code>${escapeHtml(token.text)}</code>`
    case "checkbox":
      return token.checked ? "☑ " : "☐ "
    case "link":
      return inLink ? write(token.tokens, true) : link(token.href, write(token.tokens, true))
    case "image":
      return inLink ? escapeHtml(token.text) : link(token.href, escapeHtml(token.text || token.href))
    case "text":
      return token.tokens === undefined ? escapeHtml(token.text) : write(token.tokens, inLink)
    case "html":
      return token.block ? `<p>${escapeHtml(token.text.trim())}</p>` : escapeHtml(token.text)
    case "escape":
    case "list_item":
      return escapeHtml(token.text)
  }
}

/**
 * The parser pads each row of a table to the width of its head, and repeats the address of a reference at each use: ten thousand characters
 * could become megabytes. These are limits of what comes out, in cells and in characters.
 */
const MOST_CELLS = 4000
const MOST_REPEATED = 200_000
/** The line below the head of a table, also within quotes and lists. */
const TABLE = /^[\s>|:*+\d.)-]*$/
const DEFINITION = /^[\s>]*\[[^\]]+\]:/

const most = (lengths: ReadonlyArray<number>): number =>
  lengths.reduce((longest, length) => Math.max(longest, length), 0)

const isBounded = (text: string): boolean => {
  const lines = text.split("\n")
  const columns = most(lines.filter((line) => TABLE.test(line)).map((line) => line.split("|").length - 1))
  const address = most(lines.filter((line) => DEFINITION.test(line)).map((line) => line.length))
  return columns * lines.length <= MOST_CELLS && address * text.split("[").length <= MOST_REPEATED
}

const parsed = (text: string): string => {
  const plain = (): string => `<p>${escapeHtml(text)}</p>`
  if (!isBounded(text)) return plain()
  try {
    return write(lexer(text, { gfm: true, breaks: true }))
  } catch {
    // Thousands of nested quotes exceed the stack.
    return plain()
  }
}

/** Texts that were rendered last: all who open the page of an event read one, and some texts take a tenth of a second. */
const rendered = new LRUCache<string, string>({
  maxSize: 4 << 20,
  sizeCalculation: (html, text) => html.length + text.length + 1,
})

export const markdownHtml = (text: string): string => {
  const known = rendered.get(text)
  if (known !== undefined) return known
  const html = parsed(text)
  rendered.set(text, html)
  return html
}

const CHARACTERS: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" }

/** The text without its marks, on one line. */
export const markdownLine = (text: string): string =>
  markdownHtml(text)
    .replaceAll(/<\/?(?:strong|em|del|code|a)\b[^>]*>/g, "")
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/&(amp|lt|gt|quot|#39);/g, (_, name) => CHARACTERS[name] ?? "")
    .replaceAll(/\s+/g, " ")
    .trim()
