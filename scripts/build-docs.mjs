/**
 * Makes the pages of `/docs`, their Markdown and `llms.txt`. A link to another page or heading that does not exist fails the build. A link to
 * a file of the repository that no page shows becomes the name of the file. An argument names another folder than `dist/src/docs-files`.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join, posix, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { Marked } from "marked"
import { anchorOf, markdownOf, PAGES } from "./docs-pages.mjs"

const root = fileURLToPath(new URL("..", import.meta.url))
const read = (file) => readFileSync(join(root, file), "utf8")
const escaped = (text) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")

const texts = new Map(PAGES.map((page) => [page.name, markdownOf(page, read)]))

/** Headings of a page, outside of code. */
const headingsOf = (text) =>
  new Set(
    Array.from(text.replaceAll(/^```[\s\S]*?^```/gm, "").matchAll(/^#{1,6} (.+)$/gm), ([, heading]) =>
      anchorOf(heading.replaceAll("`", "")),
    ),
  )
const headings = new Map(Array.from(texts, ([name, text]) => [name, headingsOf(text)]))

/** The page that shows a heading of a file; without a heading the first page of the file. */
const pageOf = (file, anchor) =>
  PAGES.find((page) => page.file === file && (anchor === "" || headings.get(page.name).has(anchor)))

/** Where a link of a page leads: an address, or undefined for a file that no page shows. */
const resolved = (page, href) => {
  if (/^[a-z]+:/.test(href) || href.startsWith("/")) return href
  const [path, anchor = ""] = href.split("#")
  const file = path === "" ? page.file : posix.join(posix.dirname(page.file), path)
  const target = path === "" && headings.get(page.name).has(anchor) ? page : pageOf(file, anchor)
  if (target !== undefined) return `/docs/${target.name}${anchor === "" ? "" : `#${anchor}`}`
  if (file.startsWith("docs/")) throw new Error(`${page.file}: the link ${href} leads nowhere`)
  return undefined
}

const htmlOf = (page) => {
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        const id = escaped(anchorOf(text.replaceAll("`", "")))
        return `<h${depth} id="${id}"><a href="#${id}">${this.parser.parseInline(tokens)}</a></h${depth}>\n`
      },
      link({ href, tokens }) {
        const inner = this.parser.parseInline(tokens)
        const address = resolved(page, href)
        return address === undefined ? inner : `<a href="${escaped(address)}">${inner}</a>`
      },
      // A table wider than the page scrolls by itself, also by keyboard.
      table(token) {
        const cell = ({ tokens }, tag) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`
        const row = (cells, tag) => `<tr>${cells.map((one) => cell(one, tag)).join("")}</tr>`
        const body = token.rows.map((cells) => row(cells, "td")).join("\n")
        const table = `<table><thead>${row(token.header, "th")}</thead><tbody>${body}</tbody></table>`
        return `<div class="wide" tabindex="0" role="region" aria-label="Table">${table}</div>\n`
      },
      code({ text }) {
        return `<pre tabindex="0"><code>${escaped(text)}</code></pre>\n`
      },
      html({ text }) {
        return escaped(text)
      },
    },
  })
  return marked.parse(texts.get(page.name))
}

const navigation = (current) =>
  PAGES.map(({ name, title }) => {
    const mark = name === current ? ' aria-current="page"' : ""
    return `<li><a href="/docs/${name}"${mark}>${title}</a></li>`
  }).join("\n")

const layout = (title, current, content) => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)} · Gathercue</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/docs.css">
<a class="skip" href="#content">Skip to the text</a>
<nav aria-label="Documentation">
<p><a href="/docs">Gathercue</a></p>
<ul>
${navigation(current)}
<li><a href="/v1/docs">API reference</a></li>
</ul>
</nav>
<main id="content">
${content}
</main>
</html>
`

const index = `<h1>Gathercue</h1>
<p>A backend for live events: webinars, meetings, breakout rooms, speed networking.</p>
<dl>
${PAGES.map(({ name, title, about }) => `<dt><a href="/docs/${name}">${title}</a></dt><dd>${escaped(about)}</dd>`).join("\n")}
<dt><a href="/v1/docs">API reference</a></dt><dd>Every endpoint (<a href="/v1/openapi.json">OpenAPI</a>); the gateway's messages as <a href="/v1/asyncapi.json">AsyncAPI</a>.</dd>
</dl>`

const CSS = `:root{color-scheme:light dark;font:1rem/1.6 system-ui,sans-serif}
body{margin:0 auto;max-width:76rem;padding:1rem;display:grid;grid-template-columns:minmax(0,1fr);gap:1rem}
nav ul{list-style:none;padding:0;display:flex;flex-wrap:wrap;gap:.25rem 1rem}
nav p{font-weight:700;margin:0}
a{color:light-dark(#0b5cad,#8ec5ff)}
h1 a,h2 a,h3 a,h4 a{color:inherit;text-decoration:none}
nav a[aria-current]{font-weight:700;color:inherit}
pre,.wide{overflow-x:auto}
pre{padding:.75rem;border-radius:.4rem;background:light-dark(#f3f4f6,#1c2128)}
code{font:.9em ui-monospace,monospace}
table{border-collapse:collapse}
th,td{border:1px solid light-dark(#c9ced6,#444c56);padding:.3rem .6rem;text-align:left;vertical-align:top}
dt{font-weight:700}
.skip{position:absolute;left:-100rem}
.skip:focus{left:1rem}
@media (min-width:60rem){body{grid-template-columns:13rem minmax(0,1fr)}nav{position:sticky;top:1rem;align-self:start}nav ul{display:block}}
`

/** `{base}` is replaced by the server with its own address. */
const llms = `# Gathercue

> A backend for live events: webinars, meetings, breakout rooms, speed networking. REST and a WebSocket gateway with exact resume, signed webhooks, a typed client.

## Documentation

${PAGES.map(({ name, title, about }) => `- [${title}]({base}/docs/${name}.md): ${about}`).join("\n")}

## Descriptions

- [OpenAPI]({base}/v1/openapi.json): every endpoint of the REST API, with schemas and examples.
- [AsyncAPI]({base}/v1/asyncapi.json): every message of the gateway, with the roles that may send each command.
- [Types of the client]({base}/v1/client.d.ts): \`GatewayClient\`, \`makeRestClient\`, and the state of an event.

## Optional

- [All pages in one file]({base}/llms-full.txt)
`

/** Writes all files into the folder. */
export const buildDocs = (folder) => {
  mkdirSync(folder, { recursive: true })
  const write = (name, text) => writeFileSync(join(folder, name), text)
  write("index.html", layout("Documentation", "", index))
  write("docs.css", CSS)
  for (const page of PAGES) {
    write(`${page.name}.html`, layout(page.title, page.name, htmlOf(page)))
    write(`${page.name}.md`, texts.get(page.name))
  }
  write("llms.txt", llms)
  write("llms-full.txt", PAGES.map(({ name }) => texts.get(name)).join("\n\n"))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  buildDocs(resolve(process.argv[2] ?? join(dirname(fileURLToPath(import.meta.url)), "../dist/src/docs-files")))
}
