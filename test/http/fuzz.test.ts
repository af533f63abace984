/** Generated bodies, queries and headers on every route of the contract: never a 500, never a hang, and the process lives. */
import { randomUUID } from "node:crypto"
import { Context, Option, SchemaAST } from "effect"
import { HttpApi } from "effect/http-api"
import fc from "fast-check"
import { afterAll, beforeAll, expect, test } from "vitest"
import { EndpointAccess, ReadBy } from "../../src/http/contract/access.ts"
import { Api } from "../../src/http/contract/api.ts"
import { PROBLEMS } from "../../src/http/contract/problem.ts"
import { type Account, type Answer, type CallOptions, call, createLiveEvent, createWorkspace } from "../support/api.ts"
import { rowsOf } from "../support/rows.ts"
import { PLATFORM_KEY, startTestServer, type TestServer } from "../support/server.ts"
import { eventually } from "../support/wait.ts"

let server: TestServer
let key: string
let owner: Account
let ids: { readonly [access: string]: string }

beforeAll(async () => {
  server = await startTestServer()
  const acme = await createWorkspace(server.url)
  key = acme.key
  owner = acme.owner
  const event = await createLiveEvent(server.url, key, {
    phases: [{ modality: "breakout", config: { durationSeconds: 3600 } }, { modality: "meeting" }],
  })
  // An event of its own, which nothing here advances or ends.
  const audience = await createLiveEvent(server.url, key, {
    phases: [{ modality: "broadcast", featureSet: ["qa"] }],
    allowAnonymousQuestions: true,
    allowAnonymousVoting: true,
  })
  const asked = await call(server.url, "POST", `/v1/public/events/${audience.id}/questions`, { body: { text: "Why?" } })
  const user = await call(server.url, "POST", "/v1/users", { key, body: { externalSub: "fuzz" } })
  // Of a kind that does not occur here: deliveries that nobody takes would cost as much as the requests.
  const hook = { url: VALID["url"], eventTypes: ["clip.ready"] }
  const webhook = await call(server.url, "POST", "/v1/webhooks", { key, body: hook })
  const ping = await call(server.url, "POST", `/v1/webhooks/${webhook.body.id}/ping`, { key })
  const asset = { id: randomUUID() }
  const rows = rowsOf(server.databaseUrl)
  await rows.run(
    "insert into recordings (id, event_id, workspace_id, kind, status) values ($1, $2, $3, 'upload', 'ready')",
    [asset.id, audience.id, acme.id],
  )
  const clip = { id: randomUUID() }
  await rows.run("insert into clips (id, recording_id, status, start_ms, end_ms) values ($1, $2, 'ready', 0, 1000)", [
    clip.id,
    asset.id,
  ])
  await rows.end()
  const repeated = {
    rrule: VALID["rrule"],
    timeZone: VALID["timeZone"],
    event: { type: "webinar", title: "Fuzz", scheduledAt: "2099-10-20T16:00:00Z" },
  }
  const series = await call(server.url, "POST", "/v1/series", { key, body: repeated })
  ids = {
    series: series.body.id,
    webhook: webhook.body.id,
    webhookDelivery: ping.body.id,
    agenda: event.id,
    workspaceMember: acme.id,
    workspaceOwner: acme.id,
    public: audience.id,
    publicEvent: audience.id,
    publicAsset: asset.id,
    sharedEvent: audience.id,
    event: event.id,
    eventOfWorkspace: event.id,
    platform: event.id,
    openEvent: event.id,
    liveEvent: event.id,
    recording: asset.id,
    clip: clip.id,
    phase: event.activePhaseId,
    keyUser: user.body.id,
    user: user.body.id,
    audienceEvent: audience.id,
    audienceQuestion: asked.body.id,
    question: asked.body.id,
    workspaceAdmin: acme.id,
    workspaceGuest: acme.id,
    workspaceMemberOrKey: acme.id,
    workspaceAdminOrKey: acme.id,
  }
})
afterAll(() => server.stop())

interface Route {
  readonly method: string
  readonly path: string
  readonly access: string
  readonly fields: ReadonlyArray<string>
  /** Names of the query. */
  readonly asks: ReadonlyArray<string>
}

const ROUTES: Route[] = []
const WITH_PARAMETERS: Route[] = []
const WITH_QUERY: Route[] = []
HttpApi.reflect(Api, {
  onGroup: () => {},
  onEndpoint: ({ endpoint }) => {
    const access = Context.getUnsafe(endpoint.annotations, EndpointAccess)
    const query = endpoint.query === undefined ? undefined : SchemaAST.toType(endpoint.query.ast)
    const asks = query?._tag === "Objects" ? query.propertySignatures.map(({ name }) => String(name)) : []
    if (asks.length > 0) WITH_QUERY.push({ method: endpoint.method, path: endpoint.path, access, fields: [], asks })
    if (endpoint.path.includes(":")) {
      WITH_PARAMETERS.push({ method: endpoint.method, path: endpoint.path, access, fields: [], asks })
    }
    // Deleting the event and the like would leave nothing to fuzz.
    if (endpoint.method === "DELETE" || endpoint.identifier === "logout" || endpoint.identifier === "endEvent") return
    const described = [...endpoint.payload.values()][0]?.schemas[0]
    const payload = Option.getOrElse(Context.getOption(endpoint.annotations, ReadBy), () => described)
    const fields = Object.keys((payload as { readonly fields?: object } | undefined)?.fields ?? {})
    ROUTES.push({ method: endpoint.method, path: endpoint.path, access, fields, asks })
  },
})

/** Values that break things: wrong types, extremes, odd text, and sometimes what is right. */
const value: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.string({ unit: "binary", maxLength: 400 }),
  fc.constantFrom(
    "public",
    "host",
    "broadcast",
    "2027-01-01T00:00:00Z",
    "9999-12-31T23:59:59.999999999+23:59",
    "a@b.co",
  ),
  fc.constantFrom(0, -0, 1e308, -1, 2 ** 53, 0.1, 10, 60, null, true, [], {}, [{ modality: "meeting" }]),
  fc.constantFrom("\u0000", "\ud800", "__proto__", "constructor", "'; drop table events; --"),
  fc.constantFrom("0000-01-01T00:00:00Z", "0001-01-01T00:00:00+23:59", { "\u0000": 1 }, { a: ["\ud800"] }),
  fc.constantFrom([{ modality: "meeting", config: { a: "\u0000" } }], "x".repeat(300), "a valid title"),
  fc.uuid(),
)

/** Fields that are right for whichever endpoint has them. */
const VALID: { readonly [field: string]: unknown } = {
  type: "webinar",
  title: "Fuzz",
  name: "Fuzz",
  externalSub: "fuzz",
  email: "fuzz@example.com",
  rrule: "FREQ=DAILY;COUNT=2",
  timeZone: "UTC",
  password: "correct horse",
  url: "http://127.0.0.1:9/hook",
  seconds: 10,
  role: "host",
  modality: "meeting",
  issuer: "https://partner.example",
  jwksUrl: "https://partner.example/jwks.json",
  text: "Why?",
  t: "announce",
  d: { text: "Hello" },
  commands: [{ t: "announce", d: { text: "Hello" } }, { t: "roster.list" }],
}

const anyObject = fc.dictionary(fc.string(), value)

const bodyFor = ({ fields }: Route): fc.Arbitrary<unknown> => {
  // One field at a time away from what is right reaches deeper than all of them wrong.
  const nearly = fc.tuple(fc.constantFrom(...fields, "none"), value).map(([field, odd]) => ({ ...VALID, [field]: odd }))
  const known = fc.record(Object.fromEntries(fields.map((field) => [field, value])), { requiredKeys: [] })
  return fc.oneof(
    { weight: 6, arbitrary: nearly },
    { weight: 3, arbitrary: known },
    { weight: 1, arbitrary: anyObject },
    { weight: 1, arbitrary: value },
  )
}

const callerFor = (access: string): CallOptions => {
  // No key stands for somebody of the audience.
  if (access.startsWith("audience")) return {}
  if (access === "platform") return { headers: { "x-platform-key": PLATFORM_KEY } }
  return access === "account" ||
    access === "accountOrPlatform" ||
    (access.startsWith("workspace") && access !== "workspace") ||
    access === "workspaceAdmin"
    ? { cookie: owner.cookie }
    : { key }
}

/** A path segment, percent-encoded or raw, as nobody means it; clients take dots alone for a way through folders. */
const segment = fc
  .oneof(
    fc.string({ unit: "grapheme-composite", minLength: 1, maxLength: 30 }).map((text) => encodeURIComponent(text)),
    fc.constantFrom("%00", "%ff", "%", "..%2f", "%ed%a0%80", "%F0%9F%8E%89", "0", "null", "a".repeat(1000)),
    fc.uuid(),
  )
  .filter((text) => !/^(?:\.|%2e){1,2}$/i.test(text))

const asked = fc.oneof(
  fc.string({ unit: "grapheme-composite", maxLength: 40 }),
  fc.constantFrom("\u0000", "a\u0000b", "1", "100", "answered", "-1"),
)

const queryFor = ({ asks }: Route): fc.Arbitrary<object> =>
  fc.record(Object.fromEntries([...asks, "cursor", "token"].map((name) => [name, asked])), { requiredKeys: [] })

const queryText = (query: object): string =>
  Object.entries(query)
    .map(([name, text]) => `${name}=${encodeURIComponent(String(text))}`)
    .join("&")

const fill = (route: Route, second: string): string => {
  const id = ids[route.access]
  if (route.path.includes(":id") && id === undefined) throw new Error(`${route.path} has no object to be fuzzed on`)
  return route.path
    .replace(":id", id ?? "")
    .replace(":code", "conflict")
    .replace(":form", "registration")
    .replace(":kind", "confirmation")
    .replace(/:\w+/, () => second)
}

/** Every answer is one of ours, and none is a fault. An assertion is made only of what is wrong: there are thousands of answers. */
const expectSound = ({ status, headers, body }: Answer, what: () => string): void => {
  const isOurs =
    status < 400 ||
    (![500, 503].includes(status) &&
      Object.hasOwn(PROBLEMS, body.code) &&
      headers.get("content-type") === "application/problem+json")
  if (!isOurs) expect.fail(`${what()} -> ${status} ${headers.get("content-type")} ${JSON.stringify(body)}`)
}

test.each(ROUTES)("$method $path", async (route) => {
  await fc.assert(
    fc.asyncProperty(bodyFor(route), queryFor(route), segment, async (body, query, second) => {
      const raw = JSON.stringify(body) ?? "{}"
      const options = { ...callerFor(route.access), ...(route.method === "GET" ? {} : { raw }) }
      const path = `${fill(route, second)}?${queryText(query)}`
      expectSound(await call(server.url, route.method, path, options), () => `${path} ${raw}`)
    }),
    { numRuns: 6 },
  )
})

/** Deletions name absent objects, so that they can be fuzzed any number of times. */
test.each(WITH_PARAMETERS)("$method $path, with ids that nobody gave out", async (route) => {
  await fc.assert(
    fc.asyncProperty(segment, segment, async (first, second) => {
      const path = route.path.replace(/:\w+/, () => first).replace(/:\w+/, () => second)
      const options = { ...callerFor(route.access), ...(route.method === "GET" ? {} : { raw: "{}" }) }
      expectSound(await call(server.url, route.method, path, options), () => path)
    }),
    { numRuns: 4 },
  )
})

test("the server is still ready", async () => {
  await eventually(async () => (await call(server.url, "GET", "/readyz")).status === 200, "readiness")
})

/** No text with U+0000 reaches a statement, whichever name has it. */
test.each(WITH_QUERY)("$method $path refuses U+0000 in its query", async (route) => {
  for (const name of route.asks) {
    for (const text of ["%00", "a%00b"]) {
      const path = `${fill(route, randomUUID())}?${name}=${text}`
      const answer = await call(server.url, route.method, path, callerFor(route.access))
      expect([path, answer.status, answer.body.code]).toEqual([path, 400, "bad_request"])
    }
  }
})
