/** What the API takes in bodies and queries: the bounds as they were agreed on, and that the server refuses what is beyond them, by the field. */
import { randomUUID } from "node:crypto"
import { Context, Option } from "effect"
import { HttpApi } from "effect/http-api"
import { expect, test } from "vitest"
import { EndpointAccess } from "../../src/http/contract/access.ts"
import { Api } from "../../src/http/contract/api.ts"
import { Example } from "../../src/http/contract/endpoint.ts"
import { type CallOptions, call, createEvent, createLiveEvent, type Json } from "../support/api.ts"
import { description } from "../support/description.ts"
import { PLATFORM_KEY } from "../support/server.ts"
import { shared, sharedRows, sharedServer, sharedWorkspace } from "../support/shared.ts"
import { type DescribedSchema, nameOf, resolved, typesOf, wrongValues } from "../support/wrong-values.ts"

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly schema: DescribedSchema
}
interface Operation {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly access: string
  readonly body: DescribedSchema | undefined
  readonly isOptional: boolean
  readonly query: ReadonlyArray<Parameter>
  /** A body that is taken. */
  readonly example: Json
}

const OPERATIONS: Operation[] = []
HttpApi.reflect(Api, {
  onGroup: () => {},
  onEndpoint: ({ endpoint }) => {
    const path = endpoint.path.replaceAll(/:(\w+)/g, "{$1}")
    const described: Json = description.paths[path]?.[endpoint.method.toLowerCase()]
    OPERATIONS.push({
      name: endpoint.identifier,
      method: endpoint.method,
      path: endpoint.path,
      access: Context.getUnsafe(endpoint.annotations, EndpointAccess),
      body: described.requestBody?.content["application/json"]?.schema,
      isOptional: described.requestBody?.required !== true,
      query: (described.parameters ?? []).filter((one: Json) => one.in === "query"),
      example: Option.getOrUndefined(Context.getOption(endpoint.annotations, Example))?.request,
    })
  },
})

const server = sharedServer()
const rows = sharedRows(server)
const acme = sharedWorkspace(server)

/** By access, the objects that the paths name. */
const ids = shared(async (): Promise<{ [access: string]: string }> => {
  const { id, key } = acme
  const post = async (path: string, body: object = {}): Promise<string> =>
    (await call(server.url, "POST", path, { key, body })).body.id
  const event = await createEvent(server.url, key)
  const live = await createLiveEvent(server.url, key, {
    phases: [{ modality: "broadcast", featureSet: ["qa"] }],
    allowAnonymousQuestions: true,
    allowAnonymousVoting: true,
  })
  const recording = await post(`/v1/events/${live.id}/recordings`)
  const clip = randomUUID()
  await rows.run("insert into clips (id, recording_id, status, start_ms, end_ms) values ($1, $2, 'ready', 0, 1000)", [
    clip,
    recording,
  ])
  const webhook = await post("/v1/webhooks", { url: "http://127.0.0.1:9/", eventTypes: ["clip.ready"] })
  const asked = await call(server.url, "POST", `/v1/public/events/${live.id}/questions`, { body: { text: "Why?" } })
  const repeated = { type: "webinar", title: "Launch", scheduledAt: "2099-10-20T16:00:00Z" }
  const user = await post("/v1/users", { externalSub: "ada" })
  return {
    ...Object.fromEntries(
      ["publicEvent", "openEvent", "sharedEvent", "liveEvent", "audienceEvent"].map((one) => [one, live.id]),
    ),
    ...Object.fromEntries(["event", "eventOfWorkspace", "agenda", "platform"].map((one) => [one, event.id])),
    ...Object.fromEntries(["user", "keyUser"].map((one) => [one, user])),
    ...Object.fromEntries(["question", "audienceQuestion"].map((one) => [one, asked.body.id])),
    public: live.id,
    phase: live.phases[0].id,
    recording,
    clip,
    publicAsset: clip,
    webhook,
    webhookDelivery: await post(`/v1/webhooks/${webhook}/ping`),
    series: await post("/v1/series", { rrule: "FREQ=DAILY;COUNT=1", timeZone: "UTC", event: repeated }),
    workspace: id,
  }
})

const isOfWorkspace = (access: string): boolean =>
  access.startsWith("workspace") && !/^workspace(?:Events)?$/.test(access)
const callerFor = (access: string): CallOptions => {
  // No key stands for somebody of the audience.
  if (access.startsWith("audience") || access === "optionalSession") return {}
  if (access === "platform") return { headers: { "x-platform-key": PLATFORM_KEY } }
  const isForPeople = access.startsWith("account") || isOfWorkspace(access)
  return isForPeople ? { cookie: acme.owner.cookie, headers: { "x-workspace-id": acme.id } } : { key: acme.key }
}
const pathOf = ({ access, path }: Operation): string =>
  path
    .replace(":id", isOfWorkspace(access) ? acme.id : (ids[access] ?? randomUUID()))
    .replace(":code", "conflict")
    .replace(":form", "registration")
    .replace(":kind", "confirmation")
    .replaceAll(/:\w+/g, () => randomUUID())

/** What the description says of a value, on one line. */
const told = (schema: DescribedSchema): string => {
  const {
    enum: known,
    items,
    properties,
    minLength,
    maxLength,
    minimum,
    maximum,
    minItems,
    maxItems,
    ...own
  } = resolved(schema)
  const types = typesOf(schema)
  const bounds = [minLength ?? minimum ?? minItems, maxLength ?? maximum ?? maxItems]
  const isNamed = properties !== undefined && nameOf(schema) !== ""
  const name = isNamed ? [nameOf(schema), ...types.slice(1)].join("|") : types.join("|")
  return [
    name === "" ? JSON.stringify(schema) : name,
    ...(known === undefined ? [] : [known.join("|")]),
    ...(["format", "pattern", "exclusiveMinimum", "uniqueItems"] as const).flatMap((one) =>
      own[one] === undefined ? [] : [`${one} ${own[one]}`],
    ),
    ...(bounds.every((bound) => bound === undefined) ? [] : [`${bounds[0] ?? ""}..${bounds[1] ?? ""}`]),
    ...(items === undefined ? [] : [`of ${told(items)}`]),
  ].join(" ")
}

/** All objects of bodies, by their names. */
const objects = new Map<string, string>()
const tell = (schema: DescribedSchema): void => {
  const own = resolved(schema)
  for (const inner of [...(own.anyOf ?? []), ...(own.items === undefined ? [] : [own.items])]) tell(inner)
  const name = nameOf(schema)
  if (own.properties === undefined || objects.has(name)) return
  objects.set(name, "")
  const fields = Object.entries(own.properties).map(
    ([field, of]) => `${field}${own.required?.includes(field) === true ? "" : "?"}: ${told(of)}`,
  )
  objects.set(name, `${fields.join("; ")}${own.additionalProperties === false ? "; nothing else" : ""}`)
  for (const field of Object.values(own.properties)) tell(field)
}

test("bodies and queries have the bounds that were agreed on", async () => {
  const operations = OPERATIONS.filter(({ body, query }) => body !== undefined || query.length > 0).map(
    ({ name, body, isOptional, query }) => {
      if (body !== undefined) tell(body)
      const asks = query.map((one) => `${one.name}: ${told(one.schema)}`)
      return [
        name,
        ...(body === undefined ? [] : [`(${told(body)}${isOptional ? "?" : ""})`]),
        ...(asks.length === 0 ? [] : [asks.join("; ")]),
      ].join(" ")
    },
  )
  const lines = [...operations, "", ...[...objects].toSorted().map(([name, fields]) => `${name} { ${fields} }`), ""]
  await expect(lines.join("\n")).toMatchFileSnapshot("./request-fields.txt")
})

/** The refusals that are not those of a wrong value at the place, each with what was sent. */
const refusalsBeside = async (
  { method, access, ...of }: Operation,
  wrong: ReadonlyArray<{ readonly at: string; readonly query?: string; readonly body?: unknown }>,
): Promise<ReadonlyArray<string>> => {
  const found: string[] = []
  for (const { at, query = "", body } of wrong) {
    const path = `${pathOf({ method, access, ...of })}${query}`
    const sent = body === undefined ? {} : { body }
    const answer = await call(server.url, method, path, { ...callerFor(access), ...sent })
    const errors: ReadonlyArray<Json> = answer.body.errors ?? []
    const isNamed = errors.some(
      ({ pointer, parameter }) => [pointer, parameter].includes(at) || pointer?.startsWith(`${at}/`),
    )
    if (answer.status !== 400 || !isNamed)
      found.push(
        `${at} ${JSON.stringify(body ?? query).slice(0, 200)}: ${answer.status} ${JSON.stringify(answer.body)}`,
      )
  }
  return found
}

/** The first has a limit in development too; the other judges each row for itself. */
const OTHERS: ReadonlyArray<string> = ["askHelp", "importRegistrations"]
const WITH_BODY = OPERATIONS.flatMap((one) =>
  one.body === undefined || OTHERS.includes(one.name) ? [] : [{ ...one, body: one.body }],
)
test.each(WITH_BODY)("$name refuses each wrong value of its body by the field", async (operation) => {
  const wrong = wrongValues(operation.body, operation.example).map(({ value, at }) => ({ at: `#${at}`, body: value }))
  expect(await refusalsBeside(operation, wrong)).toEqual([])
})

test("each wrong parameter of a query is refused by its name", async () => {
  for (const operation of OPERATIONS.filter(({ query }) => query.length > 0)) {
    const wrong = operation.query.flatMap(({ name, schema }) =>
      wrongValues(schema, undefined)
        .filter(({ value }) => typeof value === "number" || typeof value === "string")
        // A number is a text in a query.
        .filter(({ value }) => !(typeof value === "number" && typesOf(schema).includes("string")) && value !== "7")
        .map(({ value }) => ({ at: name, query: `?${name}=${encodeURIComponent(String(value))}` })),
    )
    const isPage =
      operation.body === undefined &&
      operation.query.some(({ name }) => name === "cursor") &&
      !operation.query.some(({ required }) => required)
    const cursors = isPage ? [{ at: "cursor", query: "?cursor=x" }] : []
    expect(await refusalsBeside(operation, [...wrong, ...cursors]), operation.name).toEqual([])
  }
})
