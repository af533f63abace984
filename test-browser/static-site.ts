/** A site of files on an origin of its own. */
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { extname } from "node:path"

export interface Site {
  readonly url: string
  readonly stop: () => Promise<void>
}

const TYPES: { readonly [extension: string]: string } = {
  ".js": "text/javascript",
  ".css": "text/css",
  ".html": "text/html",
  ".svg": "image/svg+xml",
}

/** `read` gives the file of a path, and rejects where there is none. A path without an extension is a page. */
export const startStaticSite = async (read: (path: string) => Promise<string | Buffer>): Promise<Site> => {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost")
    read(pathname).then(
      (file) => response.setHeader("content-type", TYPES[extname(pathname)] ?? "text/html").end(file),
      () => response.writeHead(404).end(),
    )
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    },
  }
}
