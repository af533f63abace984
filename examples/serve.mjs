/**
 * Serves the viewer's page and the built client it imports: `node examples/serve.mjs`, after a build (`npm start` makes one).
 * A page of your own would have the client bundled instead.
 */
import { createReadStream, existsSync } from "node:fs"
import { createServer } from "node:http"
import { extname } from "node:path"
import { fileURLToPath } from "node:url"

const ROOT = new URL("..", import.meta.url)
const PORT = Number(process.env.PORT ?? 8090)

/** The files of this folder that a browser may have: the page with its modules, and the client. */
const SERVED = /^\/(?:examples\/viewer(?:-page)?\.(?:html|js)|packages\/client\/dist\/index\.js)$/

const server = createServer((request, response) => {
  const { pathname } = new URL(request.url ?? "/", "http://localhost")
  const file = SERVED.test(pathname) ? fileURLToPath(new URL(`.${pathname}`, ROOT)) : undefined
  if (file === undefined || !existsSync(file)) {
    response.writeHead(404).end("not found")
    return
  }
  const type = extname(file) === ".html" ? "text/html" : "text/javascript"
  response.writeHead(200, { "content-type": `${type}; charset=utf-8` })
  createReadStream(file).pipe(response)
})

server.listen(PORT, "127.0.0.1", () => {
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : PORT
  console.log(`http://127.0.0.1:${port}/examples/viewer.html?event=<id of a live event>`)
})
