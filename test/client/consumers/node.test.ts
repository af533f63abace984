/** The packed client in projects as users have them: strict TypeScript without any of this product's libraries, and Node. */
import { execFile } from "node:child_process"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { gzipSync } from "node:zlib"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { createLiveEvent, createWorkspace } from "../../support/api.ts"
import { builtClient } from "../../support/compiled.ts"
import { startTestServer, type TestServer } from "../../support/server.ts"
import { compile, pack, projectWith } from "./packed.ts"

let server: TestServer
let packed: Awaited<ReturnType<typeof pack>>
beforeAll(async () => {
  server = await startTestServer()
  packed = await pack()
})
afterAll(() => server.stop())

/** Watches a public event and prints what it sees. */
const PROGRAM = `
import { activePhase, type EventState, GatewayClient, makeRestClient, type PhaseView, RestProblem } from "@gathercue/client"
import { MediaCall } from "@gathercue/client/media"

const [base = "", eventId = ""] = process.argv.slice(2)
const api = makeRestClient({ baseUrl: base })
const client = new GatewayClient({ token: () => api.createGatewayToken({ payload: { eventId } }) })
const call: MediaCall = new MediaCall(client)
const state: EventState = await client.connect()
const phase: PhaseView | undefined = activePhase(state)
const title: string = state.event.title
// @ts-expect-error: a title is no number
const wrong: number = state.event.title
// @ts-expect-error: there is no such command
const unknown = () => client.command("phase.explode", {})
// @ts-expect-error: an event has a type
const untyped = () => api.createEvent({ payload: { title: "x" } })
const refusal = await api.getEvent({ params: { id: eventId } }).catch((cause: unknown) => cause)
console.log(JSON.stringify({
  title, modality: phase?.modality, call: call.state,
  code: refusal instanceof RestProblem ? refusal.code : null,
  unused: [wrong, unknown, untyped].length,
}))
client.close()
`

describe("in a strict project without this product's libraries", () => {
  const ARGUMENTS = "declare const process: { readonly argv: string[] }\n"

  test("it compiles with the types of browsers", async () => {
    const program = { "watch.ts": PROGRAM, "globals.d.ts": ARGUMENTS }
    const folder = await projectWith(packed, program)
    expect(await compile(folder, { lib: ["ES2023", "DOM"], types: [] })).toBe("")
  })

  test("it compiles with the types of Node, and runs", async () => {
    const folder = await projectWith(packed, { "watch.ts": PROGRAM }, ["@types/node", "undici-types"])
    expect(await compile(folder, { lib: ["ES2023"], types: ["node"] })).toBe("")
    const acme = await createWorkspace(server.url)
    const event = await createLiveEvent(server.url, acme.key, {
      visibility: "public",
      title: "Seen from a package",
      phases: [{ modality: "broadcast" }],
    })
    // Node 20 has a WebSocket behind this switch, Node 22 without one.
    const program = ["--experimental-websocket", join(folder, "out/watch.js"), server.url, event.id]
    const { stdout } = await promisify(execFile)(process.execPath, program)
    expect(JSON.parse(stdout)).toEqual({
      title: "Seen from a package",
      modality: "broadcast",
      call: "off",
      code: "unauthorized",
      unused: 3,
    })
  })
})

describe("the package", () => {
  test("holds its modules, their types and nothing else of this repository", () => {
    expect(packed.files.toSorted()).toEqual([
      "LICENSE",
      "README.md",
      "dist/index.d.ts",
      "dist/index.js",
      "dist/media.d.ts",
      "dist/media.js",
      "dist/react.d.ts",
      "dist/react.js",
      "package.json",
    ])
  })

  test("has at most 13 KB of gateway and REST, minified and compressed", async () => {
    const script = await readFile(join(await builtClient(), "dist/served/client.js"))
    expect(gzipSync(script, { level: 9 }).length).toBeLessThanOrEqual(13 * 1024)
  })
})
