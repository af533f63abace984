/**
 * The official clients of the Model Context Protocol host an event, over HTTP and over `gathercue mcp`: the one of the revisions with a
 * handshake, and the one of the revision without. They validate each answer by the protocol, and results by the tools' own schemas.
 */
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { expect, onTestFinished, test } from "vitest"
import { call, createWorkspace, type Json } from "../test/support/api.ts"
import { blocksOf } from "../test/support/code-blocks.ts"
import { compiled } from "../test/support/compiled.ts"
import { runCommand } from "../test/support/server-process.ts"
import { sharedServer } from "../test/support/shared.ts"
import { temporaryFolder } from "../test/support/temporary-folder.ts"
import { tools } from "./support/generation.ts"

interface Result {
  readonly isError?: boolean
  readonly content: ReadonlyArray<{ readonly text: string }>
  readonly structuredContent?: Json
}
interface Client {
  readonly connect: (transport: unknown) => Promise<void>
  readonly close: () => Promise<void>
  readonly listTools: () => Promise<{ readonly tools: ReadonlyArray<Json> }>
  readonly callTool: (asked: { readonly name: string; readonly arguments: object }) => Promise<Result>
  readonly getServerVersion: () => { readonly name: string } | undefined
  readonly getInstructions: () => string | undefined
}
type Making<Made, Given extends ReadonlyArray<unknown>> = new (...given: Given) => Made

const server = sharedServer()

const module = (path: string): Promise<Json> =>
  import(pathToFileURL(join(tools().npm, "node_modules/@modelcontextprotocol", path)).href)

/** Parts of the packages: the client, and its ways to a server. */
const PACKAGES = {
  "sdk 1, with a handshake": {
    parts: ["sdk/dist/esm/client/index.js", "sdk/dist/esm/client/streamableHttp.js", "sdk/dist/esm/client/stdio.js"],
    options: {},
  },
  "client 2, without one": {
    parts: ["client/dist/index.mjs", "client/dist/index.mjs", "client/dist/stdio.mjs"],
    options: { versionNegotiation: { mode: { pin: "2026-07-28" } } },
  },
} as const

const ROADS = ["HTTP", "stdio"] as const
type Road = (typeof ROADS)[number]

/** What the guide tells people to set, by road. */
const [BY_PROGRAM, BY_ADDRESS] = blocksOf("docs/agents.md").map(({ code }) => JSON.parse(code).mcpServers.gathercue)
const guided = (value: Json, key: string): Json =>
  JSON.parse(JSON.stringify(value).replaceAll("https://events.example.com", server.url).replaceAll("gck_\u2026", key))

/** A connected client of a key, which is set up as the guide says. */
const connected = async (of: keyof typeof PACKAGES, road: Road, key: string, writes: boolean): Promise<Client> => {
  const { parts, options } = PACKAGES[of]
  const [main, http, stdio] = await Promise.all(parts.map(module))
  const Client = main.Client as Making<Client, [object, object]>
  const client = new Client({ name: "test", version: "1" }, options)
  const Http = http.StreamableHTTPClientTransport as Making<unknown, [URL, object]>
  const Stdio = stdio.StdioClientTransport as Making<unknown, [object]>
  const [byProgram, byAddress] = [guided(BY_PROGRAM, key), guided(BY_ADDRESS, key)]
  const transport =
    road === "HTTP"
      ? new Http(new URL(`${byAddress.url}${writes ? "?write=1" : ""}`), {
          requestInit: { headers: byAddress.headers },
        })
      : new Stdio({
          command: process.execPath,
          args: [await compiled("src/main.ts"), ...byProgram.args, ...(writes ? ["--write"] : [])],
          env: { ...byProgram.env, HOME: await temporaryFolder() },
          stderr: "inherit",
        })
  await client.connect(transport)
  onTestFinished(() => client.close())
  return client
}

const CASES = (Object.keys(PACKAGES) as ReadonlyArray<keyof typeof PACKAGES>).flatMap((of) =>
  ROADS.map((road) => [of, road] as const),
)

test.each(CASES)("%s hosts an event over %s", async (of, road) => {
  const { key } = await createWorkspace(server.url)
  const reading = await connected(of, road, key, false)
  expect(reading.getInstructions()).toContain("dryRun")
  const { tools: reads } = await reading.listTools()
  expect(reads.every(({ annotations }) => annotations.readOnlyHint)).toBe(true)
  const event = { type: "webinar", title: "Launch", phases: [{ modality: "broadcast" }, { modality: "meeting" }] }
  const refused = await reading.callTool({ name: "create_event", arguments: event })
  expect([refused.isError, refused.content[0]?.text]).toEqual([true, expect.stringContaining("--write")])

  const client = await connected(of, road, key, true)
  const use = async (name: string, args: object = {}): Promise<Json> => {
    const result = await client.callTool({ name, arguments: args })
    expect(result.isError, `${name}: ${result.content[0]?.text}`).not.toBe(true)
    return result.structuredContent
  }
  expect((await client.listTools()).tools.length).toBeGreaterThan(reads.length)
  const idempotencyKey = "the launch"
  const { answer: made } = await use("create_event", { ...event, idempotencyKey })
  expect((await use("create_event", { ...event, idempotencyKey })).answer.id).toBe(made.id)
  const eventId = made.id
  expect(await use("start_event", { eventId, dryRun: true })).toMatchObject({
    can: false,
    refusal: { code: "conflict" },
  })
  await use("publish_event", { eventId })
  expect(await use("start_event", { eventId, dryRun: true })).toMatchObject({
    can: true,
    wouldAnswer: { status: "live" },
  })
  expect((await use("get_event", { eventId })).status).toBe("scheduled")
  await use("start_event", { eventId })
  expect((await use("get_live_state", { eventId })).can).toContain("announce")
  await use("live_announcements", { eventId, t: "announce", d: { text: "Welcome" } })
  expect((await use("advance_event", { eventId })).answer.phases[1].status).toBe("active")
  expect((await use("end_event", { eventId })).answer.status).toBe("ended")
  expect((await use("list_events")).events).toHaveLength(1)
  // Every reading tool answers as its schema says: the client validates it.
  for (const name of ["list_participants", "list_questions", "list_polls", "list_attendance", "list_registrations"])
    await use(name, { eventId })
  await use("list_users")
  const strange = await createWorkspace(server.url)
  const { body } = await call(server.url, "POST", "/v1/events", { key: strange.key, body: event })
  const foreign = await client.callTool({ name: "get_event", arguments: { eventId: body.id } })
  expect([foreign.isError, JSON.parse(foreign.content[0]?.text ?? "").code]).toEqual([true, "not_found"])
  await expect(client.callTool({ name: "no_tool", arguments: {} })).rejects.toThrow("There is no such tool.")
})

test("gathercue mcp says why a server gives no answer, and needs a key", async () => {
  await expect(connected("sdk 1, with a handshake", "stdio", "gck_wrong", false)).rejects.toThrow(
    "The API key is not valid.",
  )
  const HOME = await temporaryFolder()
  expect(await runCommand(["mcp", "--url", server.url], { HOME })).toMatchObject({
    code: 1,
    stdout: "",
    stderr: `There is no key for ${server.url}: gathercue login, or GATHERCUE_KEY.\n`,
  })
})
