/** The gateway's description against the official schema, a public linter and the tables of the protocol. */
import { default as specs } from "@asyncapi/specs"
import { createConfig, lintFromString } from "@redocly/openapi-core"
import { Ajv } from "ajv"
import { default as addFormats } from "ajv-formats"
import { expect, test } from "vitest"
import { DISPATCHES, COMMANDS as SERVED } from "../../src/protocol/contract.ts"
import { OP } from "../../src/protocol/wire/op.ts"
import { call } from "../support/api.ts"
import {
  breachOfSent,
  breachOfTaken,
  described,
  type GatewayMessage,
  gatewayText,
  type JsonSchema,
  SENT,
  TAKEN,
} from "../support/gateway-description.ts"
import { startTestServer } from "../support/server.ts"
import {
  COMMANDS,
  FEATURES,
  featureOf,
  ROLES,
  type Role,
  SETTINGS,
  type Setting,
  verdict,
} from "./permission-reader.ts"

const messages = (keys: ReadonlySet<string>): ReadonlyArray<GatewayMessage> =>
  Object.entries(described.components.messages).flatMap(([key, message]) => (keys.has(key) ? [message] : []))

const valuesOf = (keys: ReadonlySet<string>, property: "op" | "t") =>
  messages(keys).flatMap(({ payload }) => payload.properties?.[property]?.const ?? [])

const COMMAND_MESSAGES = messages(TAKEN).filter(({ payload }) => payload.properties?.["t"] !== undefined)

test("the document fits the official schema of AsyncAPI", () => {
  const ajv = new Ajv({ strict: false })
  addFormats.default(ajv)
  const fits = ajv.compile(specs.schemasWithoutId["3.0.0"] as object)
  fits(described)
  expect(fits.errors).toBeNull()
})

test("a public linter finds nothing", async () => {
  const config = await createConfig({ extends: ["recommended-strict"] })
  const problems = await lintFromString({ source: gatewayText, absoluteRef: "asyncapi.json", config })
  expect(problems.map(({ ruleId, location, message }) => `${ruleId} ${location[0]?.pointer}: ${message}`)).toEqual([])
})

test("every payload has a title of its own, which generators take for the name of its type", () => {
  const titles = Object.values(described.components.messages).map(
    ({ payload }) => (payload as { readonly title?: string }).title ?? "none",
  )
  expect(titles).toEqual(expect.arrayContaining(["Hello", "ChatSendCommand", "ChatSendReply", "ChatMessageDispatch"]))
  expect(new Set(titles).size).toBe(titles.length)
  expect(titles.filter((title) => !/^[A-Z][A-Za-z]+$/.test(title))).toEqual([])
})

/** Every schema of the document with its place: those of messages and the shared ones, and their parts. */
function* schemasIn(schema: JsonSchema, at: string): Generator<readonly [string, JsonSchema]> {
  yield [at, schema]
  for (const [name, property] of Object.entries(schema.properties ?? {})) yield* schemasIn(property, `${at}.${name}`)
  const { items = [], anyOf = [], additionalProperties } = schema
  for (const item of [items].flat()) yield* schemasIn(item, `${at}[]`)
  for (const [index, branch] of anyOf.entries()) yield* schemasIn(branch, `${at}|${index}`)
  if (typeof additionalProperties === "object") yield* schemasIn(additionalProperties, `${at}{}`)
}

const SCHEMAS = [
  ...Object.entries(described.components.messages).flatMap(([key, { payload }]) => [...schemasIn(payload, key)]),
  ...Object.entries(described.components.schemas).flatMap(([name, schema]) => [...schemasIn(schema, name)]),
]
const placesWhere = (breaks: (schema: JsonSchema, at: string) => boolean): ReadonlyArray<string> =>
  SCHEMAS.filter(([at, schema]) => breaks(schema, at)).map(([at]) => at)

test("every message has a name of its own, also a command, its reply and a dispatch of the same `t`", () => {
  const names = Object.values(described.components.messages).map(({ name }) => name)
  expect(names.length).toBeGreaterThan(150)
  expect(new Set(names).size).toBe(names.length)
  expect(names).toEqual(expect.arrayContaining(["command.qa.settings", "reply.qa.settings", "dispatch.qa.settings"]))
})

test("one permitted value is a constant, and null is never all that a schema permits", () => {
  expect(SCHEMAS.length).toBeGreaterThan(2000)
  expect(placesWhere(({ enum: values }) => values?.length === 1)).toEqual([])
  expect(placesWhere(({ type }, at) => type === "null" && !/\|\d+$/.test(at))).toEqual([])
})

test("each object, list of values and union has a title that no other has, so that no generated type is anonymous", () => {
  const isType = ({ type, enum: values, anyOf }: JsonSchema): boolean =>
    type === "object" || values !== undefined || anyOf !== undefined
  expect(placesWhere((schema) => isType(schema) && !/^[A-Z][A-Za-z\d]+$/.test(schema.title ?? ""))).toEqual([])
  const titles = SCHEMAS.flatMap(([, { title }]) => title ?? [])
  const seen = new Set<string>()
  const repeated = titles.filter((title) => seen.has(title) || !seen.add(title))
  expect(repeated).toEqual([])
})

test("whole numbers have no bound of the language, and places in a stream begin at 0", () => {
  expect(placesWhere(({ minimum }) => minimum === Number.MIN_SAFE_INTEGER)).toEqual([])
  expect(placesWhere(({ maximum }) => maximum === Number.MAX_SAFE_INTEGER)).toEqual([])
  const places = SCHEMAS.filter(([at]) => /^dispatch\.[\w.]+\.(?:s|v|ts)$/.test(at))
  expect(places.length).toBeGreaterThan(150)
  for (const [at, schema] of places) expect(schema, at).toMatchObject({ type: "integer", minimum: 0 })
})

test("an id is a UUID, but for those of people and of commands", () => {
  const ids = SCHEMAS.filter(([at]) => /\.(?:id|[a-z]\w*Id)$/.test(at))
  const branchesOf = (schema: JsonSchema) => (schema.anyOf ?? [schema]).filter(({ type }) => type !== "null")
  const others = ids.filter(([, schema]) => branchesOf(schema).some(({ format }) => format !== "uuid"))
  const isOther = (at: string) =>
    /(?:participantId|authorId)$|^Poll(?:View|Tally)\.options\[\]\.id$|\.optionId$|^command\.hand\.lowerFor\.d\|0\.id$|transcript\.\w+\.d(?:\.segments\[\])?\.roomId$|^(?:command|reply)\.[\w.]+\.id$|^(?:token|tokenAccepted|refused)\.id$/.test(
      at,
    )
  expect(others.map(([at]) => at).filter((at) => !isOther(at))).toEqual([])
})

test("it is served, for the address that clients use", async () => {
  const server = await startTestServer()
  try {
    const { status, headers, body } = await call(server.url, "GET", "/v1/asyncapi.json")
    expect([status, body.servers.gateway.host, body.servers.gateway.protocol]).toEqual([
      200,
      new URL(server.url).host,
      "ws",
    ])
    expect(body.components).toEqual(JSON.parse(JSON.stringify(described.components)))
    const again = await fetch(`${server.url}/v1/asyncapi.json`, {
      headers: { "accept-encoding": "identity", "if-none-match": headers.get("etag") ?? "" },
    })
    expect([again.status, again.headers.get("cache-control")]).toEqual([304, "no-cache"])
  } finally {
    await server.stop()
  }
})

test("every command, every dispatch and every op has its message", () => {
  expect(valuesOf(TAKEN, "t").toSorted()).toEqual(Object.keys(SERVED).toSorted())
  expect(valuesOf(SENT, "t").toSorted()).toEqual(Object.keys(DISPATCHES).toSorted())
  expect(new Set([...valuesOf(TAKEN, "op"), ...valuesOf(SENT, "op")])).toEqual(new Set(Object.values(OP)))
  expect(new Set([...TAKEN, ...SENT]).size).toBe(Object.keys(described.components.messages).length)
})

/** Roles that the phase reads as another one: the description names the roles after that. */
const READ_AS_ANOTHER: { readonly [S in Setting]: Role | null } = {
  broadcast: "participant",
  meeting: "speaker",
  breakout: "speaker",
  rotation: "speaker",
  none: null,
}

test("the description names the roles and the feature that each command needs, as the table has them", () => {
  const allowedIn = (setting: Setting, command: string): ReadonlyArray<Role> => {
    const situation = { setting, featureSet: FEATURES, anonymous: { questions: true, voting: true } }
    const allowed = ROLES.filter((role) => verdict(role, situation, command) === "allowed")
    return allowed.filter((role) => role !== READ_AS_ANOTHER[setting])
  }
  const found = COMMAND_MESSAGES.map(({ title, "x-allowed": allowed }) => [title, allowed])
  const wanted = COMMANDS.map((command) => {
    const feature = featureOf(command)
    const roles = SETTINGS.map((setting) => [setting, allowedIn(setting, command)])
    return [command, { ...Object.fromEntries(roles), features: feature === null ? [] : [feature] }]
  })
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(wanted))
})

test("a validator distinguishes described messages from others", () => {
  const at = "2026-11-20T18:00:00.000Z"
  const announced = {
    id: "0196a1f0-0000-7000-8000-000000000001",
    text: "Hello",
    by: { participantId: "p", name: "P" },
    at,
  }
  const frame = { op: 0, t: "announcement", st: "event", s: 1, v: 1, ts: 1, d: announced }
  expect(breachOfSent(frame)).toBeUndefined()
  expect(breachOfSent({ ...frame, st: "staff" })).toContain("/st")
  expect(breachOfSent({ ...frame, t: "announce" })).toBe("op 0 announce is not described")
  expect(breachOfSent({ ...frame, d: { ...announced, at: "yesterday" } })).toContain("/d/at")
  expect(breachOfSent({ ...frame, d: { ...announced, extra: 1 } })).toContain("additional properties")
  expect(breachOfTaken({ op: 3, id: "1", t: "announce", d: { text: "" } })).toContain("/d/text")
  expect(breachOfTaken({ op: 3, id: "1", t: "leave" })).toBeUndefined()
  expect(breachOfTaken({ op: 3, id: "1", t: "announce" })).toContain("required property 'd'")
})
