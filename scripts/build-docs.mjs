/**
 * Makes the pages of `/docs`, their Markdown, their pictures, the passages that the search finds, and `llms.txt`. A link to another page or
 * heading that does not exist fails the build. A link to a file of the repository that no page shows becomes the name of the file. An
 * argument names another folder than `dist/src/docs-files`.
 */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join, posix, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { Marked } from "marked"
import { anchorOf, PAGES, SECTIONS } from "./docs-pages.mjs"

const root = fileURLToPath(new URL("..", import.meta.url))
const read = (file) => readFileSync(join(root, file), "utf8")
const escaped = (text) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")

const texts = new Map(PAGES.map((page) => [page.name, read(page.file)]))

/** Headings of a page, outside of code. */
const headingsOf = (text) =>
  new Set(
    Array.from(text.replaceAll(/^```[\s\S]*?^```/gm, "").matchAll(/^#{1,6} (.+)$/gm), ([, heading]) =>
      anchorOf(heading.replaceAll("`", "")),
    ),
  )
const headings = new Map(Array.from(texts, ([name, text]) => [name, headingsOf(text)]))

/** Where a link of a page leads: an address, or undefined for a file that no page shows. */
const resolved = (page, href) => {
  if (/^[a-z]+:/.test(href) || href.startsWith("/")) return href
  const [path, anchor = ""] = href.split("#")
  const file = path === "" ? page.file : posix.join(posix.dirname(page.file), path)
  const target = PAGES.find((one) => one.file === file)
  const isThere = target !== undefined && (anchor === "" || headings.get(target.name).has(anchor))
  if (isThere) return `/docs/${target.name}${anchor === "" ? "" : `#${anchor}`}`
  if (target !== undefined || file.startsWith("docs/")) throw new Error(`${page.file}: the link ${href} leads nowhere`)
  return undefined
}

/** Pictures by the name under which the server has them, with their files. */
const pictures = new Map()
const pictureOf = (page, href) => {
  const file = posix.join(posix.dirname(page.file), href)
  const name = posix.basename(file)
  if ((pictures.get(name) ?? file) !== file) throw new Error(`${page.file}: two pictures are called ${name}`)
  pictures.set(name, file)
  return `/docs/${name}`
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
      image({ href, text }) {
        return `<img src="${escaped(pictureOf(page, href))}" alt="${escaped(text)}" loading="lazy">`
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
  SECTIONS.map(({ title, pages }) => {
    const entries = pages.map(({ name, title: text }) => {
      const mark = name === current ? ' aria-current="page"' : ""
      return `<li><a href="/docs/${name}"${mark}>${text}</a></li>`
    })
    const isOpen = title !== "Internals" || pages.some(({ name }) => name === current)
    return `<details${isOpen ? " open" : ""}><summary>${title}</summary>\n<ul>\n${entries.join("\n")}\n</ul>\n</details>`
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
<form action="/docs/search" role="search">
<label>Search <input type="search" name="q" maxlength="100"></label>
</form>
${navigation(current)}
<p><a href="/v1/docs">API reference</a></p>
</nav>
<main id="content">
${content}
</main>
</html>
`

const entry = ({ name, title, about }) => `<dt><a href="/docs/${name}">${title}</a></dt><dd>${escaped(about)}</dd>`

const index = `<h1>Gathercue</h1>
<p>A backend for live events: webinars, meetings, breakout rooms, speed networking.</p>
${SECTIONS.map(({ title, pages }) => `<h2>${title}</h2>\n<dl>\n${pages.map(entry).join("\n")}\n</dl>`).join("\n")}
<h2>Descriptions for programs</h2>
<dl>
<dt><a href="/v1/docs">API reference</a></dt><dd>Every endpoint (<a href="/v1/openapi.json">OpenAPI</a>); the gateway's messages as <a href="/v1/asyncapi.json">AsyncAPI</a>.</dd>
</dl>`

/** A passage is what stands under one heading. Tables and code are searched too, without their signs. */
const passagesOf = (page) => {
  const passages = [{ title: page.title, anchor: "", text: "" }]
  let isCode = false
  for (const line of texts.get(page.name).split("\n")) {
    if (line.startsWith("```")) isCode = !isCode
    const [, heading] = isCode ? [] : (/^##+ (.+)$/.exec(line) ?? [])
    const plain = (heading ?? line).replaceAll("`", "")
    if (heading !== undefined) passages.push({ title: plain, anchor: anchorOf(plain), text: "" })
    else passages.at(-1).text += `${plain.replaceAll(/\]\([^)]*\)|[|[\]*#>]|<!--.*?-->/g, " ")}\n`
  }
  return passages.map(({ title, anchor, text }) => ({
    page: page.title,
    title,
    address: `/docs/${page.name}${anchor === "" ? "" : `#${anchor}`}`,
    text: text.replaceAll(/\s+/g, " ").trim(),
  }))
}

/** The server puts its results in the place of the mark. */
const searchPage = layout("Search", "", "<!-- results -->")

const CSS = `:root{color-scheme:light dark;font:1rem/1.6 system-ui,sans-serif}
body{margin:0 auto;max-width:76rem;padding:1rem;display:grid;grid-template-columns:minmax(0,1fr);gap:1rem}
nav ul{list-style:none;padding:0;margin:.25rem 0 .75rem;display:flex;flex-wrap:wrap;gap:.25rem 1rem}
nav p,summary{font-weight:700;margin:0}
nav form{margin:.5rem 0 1rem}
nav input{font:inherit;width:100%;box-sizing:border-box}
img{max-width:100%;height:auto;background:#fff}
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

${SECTIONS.slice(0, -1)
  .flatMap(({ pages }) => pages)
  .map(({ name, title, about }) => `- [${title}]({base}/docs/${name}.md): ${about}`)
  .join("\n")}

## Descriptions

- [OpenAPI]({base}/v1/openapi.json): every endpoint of the REST API, with schemas and examples.
- [AsyncAPI]({base}/v1/asyncapi.json): every message of the gateway, with the roles that may send each command.
- [Types of the client]({base}/v1/client.d.ts): \`GatewayClient\`, \`makeRestClient\`, and the state of an event.

## Optional

- [Architecture]({base}/docs/architecture.md): one command, one request and one dispatch through the code.
- [All pages in one file]({base}/llms-full.txt)
`

/** Writes all files into the folder. */
export const buildDocs = (folder) => {
  mkdirSync(folder, { recursive: true })
  const write = (name, text) => writeFileSync(join(folder, name), text)
  write("index.html", layout("Documentation", "", index))
  write("search.html", searchPage)
  write("passages.json", JSON.stringify(PAGES.flatMap(passagesOf)))
  write("docs.css", CSS)
  for (const page of PAGES) {
    write(`${page.name}.html`, layout(page.title, page.name, htmlOf(page)))
    write(`${page.name}.md`, texts.get(page.name))
  }
  for (const [name, file] of pictures) copyFileSync(join(root, file), join(folder, name))
  write("llms.txt", llms)
  write("llms-full.txt", PAGES.map(({ name }) => texts.get(name)).join("\n\n"))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  buildDocs(resolve(process.argv[2] ?? join(dirname(fileURLToPath(import.meta.url)), "../dist/src/docs-files")))
}
