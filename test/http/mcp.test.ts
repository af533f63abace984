/** The messages of agents: what is no message, which revisions are served, who may connect, and that nothing brings the server to fail. */
import fc from "fast-check"
import { expect, test } from "vitest"
import { agentOf, request, type Said, say } from "../support/agent.ts"
import { call, createEvent, createPerson, createWorkspace, type Json } from "../support/api.ts"
import { PLATFORM_KEY } from "../support/server.ts"
import { sharedServer, sharedWorkspace } from "../support/shared.ts"

const server = sharedServer()
const workspace = sharedWorkspace(server)

const tell = (body: unknown, headers: { readonly [name: string]: string } = {}, query = ""): Promise<Said> =>
  say(server.url, body, { key: workspace.key, headers, query })
const codeOf = ({ status, body }: Said) => [status, body.error?.code]
const toolsBy = async (query: string): Promise<Json> => (await tell(request("tools/list"), {}, query)).body.result.tools

test("initialize agrees on the client's revision, or names the newest with a handshake", async () => {
  const agreed = async (protocolVersion: unknown): Promise<Json> =>
    (await tell(request("initialize", { protocolVersion, capabilities: {}, clientInfo: { name: "a", version: "1" } })))
      .body.result
  expect(await agreed("2025-06-18")).toMatchObject({
    protocolVersion: "2025-06-18",
    capabilities: { tools: {} },
    serverInfo: { name: "gathercue" },
    instructions: expect.stringContaining("dryRun"),
  })
  for (const other of ["2025-11-25", "1999-01-01", 7]) expect((await agreed(other)).protocolVersion).toBe("2025-11-25")
  expect((await tell(request("ping", undefined, "p"))).body).toEqual({ jsonrpc: "2.0", id: "p", result: {} })
})

test("notifications and answers are received without an answer", async () => {
  for (const body of [
    { jsonrpc: "2.0", method: "notifications/initialized" },
    { jsonrpc: "2.0", method: "tools/call", params: { name: "create_event" } },
    { jsonrpc: "2.0", id: 4, result: {} },
    { jsonrpc: "2.0", id: 4, error: { code: 1, message: "no" } },
  ]) {
    const { status, text } = await tell(body)
    expect([status, text]).toEqual([202, ""])
  }
})

test("what is no message of JSON-RPC gets its code, and other methods than POST are refused", async () => {
  expect(codeOf(await tell("{"))).toEqual([400, -32700])
  expect(codeOf(await tell(""))).toEqual([400, -32700])
  expect(codeOf(await tell(`${"[".repeat(100)}${"]".repeat(100)}`))).toEqual([400, -32700])
  const noMessages = [
    [request("ping")],
    "null",
    "7",
    { id: 1, method: "ping" },
    { jsonrpc: "2.0", id: 1 },
    { jsonrpc: "2.0", id: null, method: "ping" },
    { jsonrpc: "2.0", id: 1.5, method: "ping" },
    { jsonrpc: "2.0", id: 1, method: 5 },
    request("tools/list", []),
  ]
  for (const body of noMessages) expect(codeOf(await tell(body)), JSON.stringify(body)).toEqual([400, -32600])
  for (const method of ["resources/list", "constructor", "toString", "__proto__", "server/discover"])
    expect(codeOf(await tell(request(method))), method).toEqual([200, -32601])
  for (const params of [
    {},
    { name: 5 },
    { name: "drop_tables" },
    { name: "constructor" },
    { name: "list_events", arguments: [] },
    { name: "list_events", arguments: "x" },
  ])
    expect(codeOf(await tell(request("tools/call", params))), JSON.stringify(params)).toEqual([200, -32602])
  expect(codeOf(await tell(request("tools/list", { cursor: "2" })))).toEqual([200, -32602])
  expect(codeOf(await tell(request("ping"), { "mcp-protocol-version": "2024-01-01" }))).toEqual([400, -32022])
  expect((await tell(request("ping"), { "content-type": "text/plain" })).status).toBe(415)
  expect((await tell(request("tools/list", { _meta: { x: "y".repeat(300_000) } }))).status).toBe(413)
  for (const method of ["GET", "DELETE", "PUT", "OPTIONS"]) {
    const { status, headers } = await say(server.url, null, { key: workspace.key, method })
    expect([status, headers.get("allow")]).toEqual([405, "POST"])
  }
})

test("a refused message is answered under its id if it has one, and with the reason why it is not read", async () => {
  const refused = async (body: unknown): Promise<Json> => {
    const { id, error } = (await tell(body)).body
    return [id, error.message]
  }
  expect(await refused({ ...request("ping"), params: null })).toEqual([1, "The params are not an object."])
  expect(await refused({ jsonrpc: "2.0", id: "a", method: 5 })).toEqual(["a", "The message has no method."])
  expect(await refused({ jsonrpc: "2.0", id: 1.5 })).toEqual([null, "The message has no method."])
  const half = "The body cannot be read: must not hold U+0000 or half a surrogate pair."
  expect(await refused(request("ping", { text: "\ud83d" }))).toEqual([null, half])
  expect(await refused("{")).toEqual([null, expect.stringContaining("not valid JSON")])
})

test("the revision without handshake states its version in each message, and headers that differ are refused", async () => {
  const meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28" }
  const message = (method: string, params: object = {}) => request(method, { ...params, _meta: meta })
  const headers = (method: string, name?: string) => ({
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": method,
    ...(name !== undefined && { "mcp-name": name }),
  })
  const discovered = await tell(message("server/discover"), headers("server/discover"))
  expect(discovered.body.result).toMatchObject({
    resultType: "complete",
    supportedVersions: ["2026-07-28", "2025-11-25", "2025-06-18"],
    capabilities: { tools: {} },
    _meta: { "io.modelcontextprotocol/serverInfo": { name: "gathercue" } },
  })
  const listed = await tell(message("tools/list"), headers("tools/list"))
  expect(listed.body.result).toMatchObject({ resultType: "complete", ttlMs: 300_000, cacheScope: "private" })
  const named = message("tools/call", { name: "list_events", arguments: {} })
  for (const name of ["list_events", `=?base64?${Buffer.from("list_events").toString("base64")}?=`])
    expect((await tell(named, headers("tools/call", name))).body.result.structuredContent.events).toBeInstanceOf(Array)
  for (const wrong of [
    headers("tools/call", "create_event"),
    headers("tools/call"),
    headers("tools/list", "list_events"),
    { "mcp-protocol-version": "2026-07-28" },
    {},
  ])
    expect(codeOf(await tell(named, wrong)), JSON.stringify(wrong)).toEqual([400, -32020])
  expect(codeOf(await tell(request("tools/list"), headers("tools/list")))).toEqual([400, -32020])
  for (const method of ["ping", "initialize", "subscriptions/listen"])
    expect(codeOf(await tell(message(method), headers(method)))).toEqual([404, -32601])
  const later = request("tools/list", { _meta: { "io.modelcontextprotocol/protocolVersion": "2099-01-01" } })
  expect((await tell(later, { "mcp-protocol-version": "2099-01-01" })).body.error).toEqual({
    code: -32022,
    message: "Unsupported protocol version",
    data: { supported: ["2026-07-28", "2025-11-25", "2025-06-18"], requested: "2099-01-01" },
  })
})

test("a connection lists tools that read, and all with write=1; each says what it does", async () => {
  const reads = await toolsBy("")
  const all = await toolsBy("?write=1")
  expect(all.slice(0, reads.length)).toEqual(reads)
  expect(await toolsBy("?write=0")).toEqual(reads)
  expect(reads.every((tool: Json) => tool.annotations.readOnlyHint && tool.outputSchema.type === "object")).toBe(true)
  for (const tool of all.slice(reads.length)) {
    expect(tool.annotations).toMatchObject({
      readOnlyHint: false,
      destructiveHint: expect.any(Boolean),
      idempotentHint: expect.any(Boolean),
    })
    expect(tool.inputSchema.properties.dryRun.type).toBe("boolean")
    // What is no POST is the same when it is repeated.
    expect("idempotencyKey" in tool.inputSchema.properties, tool.name).toBe(!tool.annotations.idempotentHint)
  }
  const destructive = all.filter(({ annotations }: Json) => annotations.destructiveHint === true)
  expect(destructive.map(({ name }: Json) => name)).toEqual(
    expect.arrayContaining(["end_event", "delete_phase", "live_people"]),
  )
  // Some clients take at most forty tools of all their servers.
  expect(all.length).toBeLessThanOrEqual(34)
  // Clients refuse names beyond these, and some a choice at the root of a schema.
  for (const { name, inputSchema } of all) {
    expect(name).toMatch(/^[a-z_]{1,40}$/)
    expect(Object.keys(inputSchema).filter((keyword) => /Of$/.test(keyword))).toEqual([])
    const references = JSON.stringify(inputSchema).matchAll(/"\$ref":"([^"]*)"/g)
    for (const [, reference = ""] of references) expect(inputSchema.$defs).toHaveProperty([reference.slice(8)])
  }
})

test("a caller needs a key or a session; cookies and the operator's key count for nothing", async () => {
  const ping = request("ping")
  const without = await say(server.url, ping)
  expect([without.status, without.body.code, without.headers.get("www-authenticate")]).toEqual([
    401,
    "unauthorized",
    'Bearer realm="gathercue"',
  ])
  const by = async (headers: { readonly [name: string]: string }) => (await say(server.url, ping, { headers })).status
  expect(await by({ "x-api-key": "gck_wrong" })).toBe(401)
  expect(await by({ authorization: "Bearer gck_wrong" })).toBe(401)
  expect(await by({ authorization: "Basic eA==" })).toBe(401)
  expect(await by({ cookie: workspace.owner.cookie })).toBe(401)
  expect(await by({ "x-platform-key": PLATFORM_KEY })).toBe(403)
  expect(await by({ authorization: `Bearer ${workspace.key}` })).toBe(200)
  const event = await createEvent(server.url, workspace.key)
  const { session } = await createPerson(server.url, workspace.key, event.id, "host")
  expect(await by({ authorization: `Bearer ${session}` })).toBe(200)
})

test("a page of another site is refused, whatever its name resolves to", async () => {
  const from = async (headers: { readonly [name: string]: string }) =>
    (await say(server.url, request("ping"), { key: workspace.key, headers })).status
  expect(await from({ origin: "https://evil.example" })).toBe(403)
  expect(await from({ origin: "null" })).toBe(403)
  expect(await from({ "sec-fetch-site": "cross-site" })).toBe(403)
  expect(await from({ origin: new URL(server.url).origin })).toBe(200)
})

test("no message and no argument brings the server to fail", async () => {
  const tools = await toolsBy("?write=1")
  const names = tools.map(({ name }: Json) => name as string)
  const value = fc.jsonValue({ maxDepth: 3 })
  const message = fc.oneof(
    value,
    fc.record({
      jsonrpc: fc.constant("2.0"),
      id: fc.oneof(fc.integer(), fc.string(), value),
      method: fc.string(),
      params: value,
    }),
    fc
      .record({ name: fc.constantFrom<string>(...names), extra: fc.dictionary(fc.string(), value), fill: value })
      .map(({ name, extra, fill }) => {
        const { properties } = tools.find((tool: Json) => tool.name === name).inputSchema
        const args = Object.fromEntries(Object.keys(properties).map((one) => [one, fill]))
        return request("tools/call", { name, arguments: { ...args, ...extra, dryRun: true } })
      }),
  )
  await fc.assert(
    fc.asyncProperty(message, async (body) => {
      const answer = await tell(JSON.stringify(body), {}, "?write=1")
      expect([200, 202, 400]).toContain(answer.status)
      expect(answer.body?.error?.code).not.toBe(-32603)
    }),
    { numRuns: 100 },
  )
  expect((await tell(request("ping"))).status).toBe(200)
})

test("an answer that no model could read is refused with a way to a shorter one", async () => {
  const { key } = await createWorkspace(server.url)
  const metadata = { text: "x".repeat(16_000) }
  for (let made = 0; made < 9; made++) await createEvent(server.url, key, { metadata })
  const use = agentOf(
    () => server.url,
    () => ({ key }),
  )
  const long = await use("list_events")
  expect([long.isError, long.text]).toEqual([true, expect.stringContaining("limit")])
  const short = await use("list_events", { limit: 3 })
  expect(short.content.events).toHaveLength(3)
  const next = await use("list_events", { limit: 3, cursor: short.content.nextCursor })
  const listed = await call(server.url, "GET", "/v1/events?limit=6", { key })
  expect([...short.content.events, ...next.content.events]).toEqual(listed.body.events)
})
