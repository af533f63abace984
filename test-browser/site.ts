/** Pages for a browser, on an origin of their own, with the client as its modules. */

import { once } from "node:events"
import { readFile } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { compiledSite } from "../test/support/compiled.ts"

export interface Site {
  readonly url: string
  readonly stop: () => Promise<void>
}

/** `window.gathercue` is the client with its part for media. */
const PAGE = `<!doctype html><meta charset=utf-8><title>test</title><video muted autoplay playsinline></video>
<script type="module">import * as client from "/packages/client/dist/index.js"
import * as media from "/packages/client/dist/media.js"
window.gathercue = { ...client, ...media }</script>`

/** Modules are served by their paths; `/` is the page. */
export const startSite = async (): Promise<Site> => {
  const folder = await compiledSite()
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost")
    if (!pathname.endsWith(".js")) {
      response.setHeader("content-type", "text/html")
      response.end(PAGE)
      return
    }
    readFile(join(folder, pathname)).then(
      (script) => response.setHeader("content-type", "text/javascript").end(script),
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
