/** The client as the server gives it to pages: the present one, and one for each version that a browser may keep. */
import { execFile } from "node:child_process"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { describe, expect, test } from "vitest"
import { startServerWithClient, startTestServer } from "../support/server.ts"
import { sharedServer } from "../support/shared.ts"
import { temporaryFolder } from "../support/temporary-folder.ts"

const server = sharedServer(startServerWithClient)

const get = (path: string, headers: { readonly [name: string]: string } = {}) =>
  fetch(new URL(path, server.url), { headers, redirect: "manual" })

describe.each([
  ["client.js", "text/javascript; charset=utf-8"],
  ["client.d.ts", "application/typescript; charset=utf-8"],
  ["client-media.js", "text/javascript; charset=utf-8"],
  ["client-media.d.ts", "application/typescript; charset=utf-8"],
])("/v1/%s", (name, type) => {
  test("is compressed, tagged, asked for again each time, and open to pages of any origin", async () => {
    const answer = await get(`/v1/${name}`, { "accept-encoding": "br", origin: "https://elsewhere.example" })
    const { status, headers } = answer
    expect([status, headers.get("content-type"), headers.get("content-encoding")]).toEqual([200, type, "br"])
    expect([headers.get("cache-control"), headers.get("access-control-allow-origin")]).toEqual([
      "public, no-cache",
      "*",
    ])
    const again = await get(`/v1/${name}`, { "accept-encoding": "br", "if-none-match": headers.get("etag") ?? "" })
    expect([again.status, await again.text()]).toEqual([304, ""])
  })

  test("has an address for its version, which may be kept for ever", async () => {
    const present = await get(`/v1/${name}`)
    const address = present.headers.get("content-location") ?? ""
    expect(address).toMatch(new RegExp(`^/v1/client/0\\.1\\.0-[0-9a-f]{8}/${name.replaceAll(".", "\\.")}$`))
    const kept = await get(address)
    expect([kept.status, kept.headers.get("cache-control")]).toEqual([200, "public, max-age=31536000, immutable"])
    expect(await kept.text()).toBe(await present.text())
  })
})

test("an earlier version leads to the present one, and an unknown file is not found", async () => {
  const earlier = await get("/v1/client/0.0.9-00000000/client.js")
  expect([earlier.status, earlier.headers.get("location")]).toEqual([302, "/v1/client.js"])
  expect((await get("/v1/client/0.0.9-00000000/constructor")).status).toBe(404)
})

test("the module is whole: it runs by itself and exports what its types name", async () => {
  const folder = await temporaryFolder()
  for (const name of ["client.js", "client-media.js"]) {
    await writeFile(join(folder, name), await (await get(`/v1/${name}`)).text())
  }
  await writeFile(join(folder, "package.json"), '{"type":"module"}')
  const program = `import * as client from "./client.js"; import * as media from "./client-media.js"
    console.log(JSON.stringify([Object.keys(client), Object.keys(media)]))`
  await writeFile(join(folder, "all.js"), program)
  const { stdout } = await promisify(execFile)(process.execPath, [join(folder, "all.js")])
  const typed = async (name: string) =>
    Array.from(
      (await (await get(`/v1/${name}`)).text()).matchAll(/^export declare (?:class|const|function) (\w+)/gm),
      ([, found]) => found,
    )
  const [client, media] = JSON.parse(stdout)
  expect(client.toSorted()).toEqual((await typed("client.d.ts")).toSorted())
  expect(media.toSorted()).toEqual((await typed("client-media.d.ts")).toSorted())
  expect(client).toContain("GatewayClient")
})

test("a server that was not built has no such address", async () => {
  const bare = await startTestServer()
  const { status } = await fetch(`${bare.url}/v1/client.js`)
  await bare.stop()
  expect(status).toBe(404)
})
