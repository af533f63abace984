/** Pages for a browser, on an origin of their own, with the client as its modules. */
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { compiledSite } from "../test/support/compiled.ts"
import { type Site, startStaticSite } from "./static-site.ts"

/** `window.gathercue` is the client with its part for media. */
const PAGE = `<!doctype html><meta charset=utf-8><title>test</title><video muted autoplay playsinline></video>
<script type="module">import * as client from "/packages/client/dist/index.js"
import * as media from "/packages/client/dist/media.js"
window.gathercue = { ...client, ...media }</script>`

/** Modules are served by their paths; every other path is the page. */
export const startSite = async (): Promise<Site> => {
  const folder = await compiledSite()
  return startStaticSite(async (path) => (path.endsWith(".js") ? readFile(join(folder, path)) : PAGE))
}
