/** Laws of the description that generators of clients need: what breaks one of them breaks a generated client somewhere. */
import { expect, test } from "vitest"
import { description } from "../support/description.ts"

interface Place {
  readonly at: string
  readonly schema: Keywords
}
interface Keywords {
  readonly [keyword: string]: unknown
}

const isObject = (value: unknown): value is Keywords =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Values of callers, which are no schemas. */
const VALUES: ReadonlySet<string> = new Set(["example", "examples", "default", "const", "enum"])

/** Everything in the document that may be a schema, with its place. Names of properties are no keywords. */
function* within(value: unknown, at: string, isMap = false): Generator<Place> {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* within(item, `${at}/${index}`)
    return
  }
  if (!isObject(value)) return
  if (!isMap) yield { at, schema: value }
  for (const [key, inner] of Object.entries(value)) {
    if (isMap || !VALUES.has(key)) yield* within(inner, `${at}/${key}`, !isMap && key === "properties")
  }
}

const { paths, webhooks, components } = description
const PLACES = [
  ...within({ paths, webhooks, responses: components.responses }, ""),
  ...Object.entries(components.schemas).flatMap(([name, schema]) => [...within(schema, name)]),
]
const placesWhere = (breaks: (place: Place) => boolean): ReadonlyArray<string> =>
  PLACES.filter(breaks).map(({ at }) => at)

const PREFIX = "#/components/schemas/"
const refOf = (schema: unknown): string => (isObject(schema) ? String(schema["$ref"] ?? "").slice(PREFIX.length) : "")

/** Names of definitions that a value leads to, through others too. */
const reachedFrom = (value: unknown): ReadonlySet<string> => {
  const reached = new Set<string>()
  const waiting = [value]
  while (waiting.length > 0) {
    for (const { schema } of within(waiting.pop(), "")) {
      const name = refOf(schema)
      if (name === "" || reached.has(name)) continue
      reached.add(name)
      waiting.push(components.schemas[name])
    }
  }
  return reached
}

const OPERATIONS = Object.values(paths).flatMap((methods) => Object.values(methods))
const ANSWERED = reachedFrom({
  answers: OPERATIONS.map(({ responses }) => responses),
  webhooks,
  ...components.responses,
})

test("the walk finds what there is", () => {
  expect(PLACES.length).toBeGreaterThan(2000)
  expect(ANSWERED).toContain("Event")
  expect(ANSWERED).toContain("EventPublished")
  expect(ANSWERED).not.toContain("SignupInput")
})

test("null is never all that a schema permits, but beside another", () => {
  const isBesideAnother = ({ at }: Place) => /\/anyOf\/1$/.test(at)
  expect(placesWhere((place) => place.schema["type"] === "null" && !isBesideAnother(place))).toEqual([])
})

test("no list of permitted values has one alone, and no flag a value that is known before", () => {
  expect(placesWhere(({ schema }) => Array.isArray(schema["enum"]) && schema["enum"].length === 1)).toEqual([])
  expect(placesWhere(({ schema }) => typeof schema["const"] === "boolean")).toEqual([])
})

/** Ids that are not of this product's objects, or that may be of people without an object, such as `guest:…`. */
const OTHER_IDS = [
  /participantId$/,
  /^AuditCreated\/properties\/(requestId|targetId)$/,
  /^AuditEntry\/properties\/(requestId|targetId)$/,
  /^(Connection|CreateConnectionInput|PatchConnectionInput)\/properties\/clientId$/,
  /^LinkHolder\/properties\/id$/,
  /^PasskeyAssertion\/properties\/(id|rawId)$/,
  /^PasskeyRegistration\/properties\/(id|rawId)$/,
  /^PersonalItem\/properties\/id$/,
  // An option is numbered within its poll.
  /^(OfferedChoice|PollChoice|PollOption)\/properties\/id$/,
  /^Round\/properties\/id$/,
  // The caller names a command; participants are not all users.
  /^\w+Command\/properties\/id$/,
  /^CommandOutcome\/properties\/id$/,
  /^OneParticipant\/properties\/id$/,
  /^QuestionView\/properties\/authorId$/,
  // Options are numbered within their poll.
  /^PollVoteCommandData\/properties\/optionIds$/,
  /^PollHideCommandData\/properties\/optionId$/,
  /^\w+CommandData(?:Id)?\/properties\/id$/,
  // Questions of a form are named by the caller.
  /^(FormAnswer|FormQuestionResult)\/properties\/questionId$/,
  /^FormQuestion(?:Input)?\/properties\/id$/,
  // Rooms and readers of tables are named by the caller.
  /^(CreateRecordingInput|CreateRecordingResult|Recording|CaptionSegment)\/properties\/roomId$/,
  /^(MailedRecipient|PutTableSummaryResult|SummarizedTable|TableBadge|TablePerson|TableRecipient|TableSummary)\/properties\/(id|roomId|userId|recipientUserId)$/,
]

const isUuid = (schema: unknown): boolean => {
  const { type, format } = (isObject(schema) ? schema : {}) as { readonly type?: unknown; readonly format?: unknown }
  return format === "uuid" && (type === "string" || JSON.stringify(type) === '["string","null"]')
}

const idOf = (schema: unknown): unknown =>
  isObject(schema) && (schema["type"] === "array" || JSON.stringify(schema["type"]) === '["array","null"]')
    ? schema["items"]
    : schema

test("an id is a UUID wherever it is said, in bodies as in paths", () => {
  const ids = PLACES.filter(({ at }) => /\/properties\/(?:id|[a-zA-Z]+Ids?)$/.test(at))
  const others = ids.filter(({ schema }) => !isUuid(idOf(schema))).map(({ at }) => at)
  expect(others.filter((at) => !OTHER_IDS.some((other) => other.test(at)))).toEqual([])
  for (const other of OTHER_IDS)
    expect(
      others.some((at) => other.test(at)),
      String(other),
    ).toBe(true)
  const parameters = PLACES.filter(
    ({ schema }) => /^id$|Id$/.test(String(schema["name"])) && isObject(schema["schema"]),
  )
  const named = parameters.filter(({ schema }) => !isUuid(schema["schema"])).map(({ schema }) => schema["name"])
  expect(new Set(named)).toEqual(new Set(["roomId", "targetId"]))
  expect(parameters.length).toBeGreaterThan(80)
})

test("no id has a pattern beside its format", () => {
  expect(placesWhere(({ schema }) => schema["format"] === "uuid" && schema["pattern"] !== undefined)).toEqual([])
})

test("every answer is open to fields of later releases", () => {
  const closed = [...ANSWERED].flatMap((name) =>
    [...within(components.schemas[name], name)].filter(
      ({ schema }) =>
        isObject(schema["properties"]) && [false, undefined].includes(schema["additionalProperties"] as never),
    ),
  )
  expect(closed.map(({ at }) => at)).toEqual([])
})

test("a body is closed where the server refuses what it does not know, and nowhere else", () => {
  const closed = OPERATIONS.filter((operation) =>
    [...reachedFrom((operation as { readonly requestBody?: unknown }).requestBody)].some((name) =>
      JSON.stringify(components.schemas[name]).includes('"additionalProperties":false'),
    ),
  )
  expect(closed.map(({ operationId }) => operationId).toSorted()).toEqual([
    "askHelp",
    "createGuestSession",
    "createInvite",
    "enter",
    "patchSeries",
    "patchWorkspace",
    "register",
    "registerForSeries",
  ])
})

test("every object has a name: a component, and never a part of another", () => {
  const inline = PLACES.filter(({ at, schema }) => isObject(schema["properties"]) && at.includes("/"))
  expect(inline.map(({ at }) => at)).toEqual([])
})

test("no two objects are the same under two names", () => {
  const names = new Map<string, string[]>()
  for (const [name, schema] of Object.entries(components.schemas)) {
    // Named after their operations.
    if (!("properties" in schema) || /(?:Input|Result)$/.test(name)) continue
    const text = JSON.stringify(schema)
    names.set(text, [...(names.get(text) ?? []), name])
  }
  const twins = [...names.values()].filter((alike) => alike.length > 1)
  expect(twins.map((alike) => alike.join(" "))).toEqual([])
})

test("bounds stand beside their type", () => {
  expect(placesWhere(({ schema }) => schema["allOf"] !== undefined)).toEqual([])
  const BOUNDS = ["minLength", "maxLength", "minimum", "maximum", "minItems", "maxItems", "pattern", "format"]
  expect(placesWhere(({ schema }) => schema["type"] === undefined && BOUNDS.some((bound) => bound in schema))).toEqual(
    [],
  )
})

test("a number is a number, and no bound of the language is said", () => {
  expect(placesWhere(({ schema }) => JSON.stringify(schema["enum"] ?? []).includes("Infinity"))).toEqual([])
  expect(placesWhere(({ schema }) => schema["maximum"] === Number.MAX_SAFE_INTEGER)).toEqual([])
  expect(placesWhere(({ schema }) => schema["minimum"] === Number.MIN_SAFE_INTEGER)).toEqual([])
})

test("a union of objects says which of them a value is, but for the two answers of a sign-in and people who are named or all", () => {
  const unions = PLACES.filter(({ schema }) =>
    ["anyOf", "oneOf"].some((keyword) => {
      const branches = schema[keyword]
      return Array.isArray(branches) && branches.filter((branch) => refOf(branch) !== "").length > 1
    }),
  )
  const untold = unions.filter(({ schema }) => schema["discriminator"] === undefined)
  expect(untold.map(({ at }) => at)).toEqual([
    "/paths//v1/accounts/login/post/responses/200/content/application/json/schema",
    "HandLowerForCommand/properties/d",
    "LobbyAdmitCommand/properties/d",
  ])
  expect(unions.map(({ at }) => at)).toEqual(expect.arrayContaining(["HelpMessage", "SentWebhookBody"]))
})

test("the bodies of webhooks are one union, told apart by their type, which the answers of a path hold", () => {
  const { oneOf, discriminator } = components.schemas["SentWebhookBody"] as {
    readonly oneOf: ReadonlyArray<object>
    readonly discriminator: { readonly propertyName: string; readonly mapping: { readonly [type: string]: string } }
  }
  expect(discriminator.propertyName).toBe("type")
  expect(Object.keys(discriminator.mapping).toSorted()).toEqual(Object.keys(webhooks).toSorted())
  expect(new Set(Object.values(discriminator.mapping))).toEqual(new Set(oneOf.map((one) => PREFIX + refOf(one))))
  const read = paths["/v1/webhook-deliveries/{id}"]?.["get"]
  expect(reachedFrom(read?.responses)).toContain("SentWebhookBody")
})

test("deliveries have another tag than the operations on webhooks", () => {
  const tagsOf = (operation: object): ReadonlyArray<string> => (operation as { readonly tags: string[] }).tags
  const operations = new Set(OPERATIONS.flatMap(tagsOf))
  const receivers = new Set(Object.values(webhooks).flatMap(({ post }) => tagsOf(post)))
  expect([...receivers].filter((tag) => operations.has(tag))).toEqual([])
  expect(description.tags.map(({ name }) => name)).toEqual(expect.arrayContaining([...operations, ...receivers]))
})

test("sets that may grow are texts that name the known values", () => {
  const growing = Object.entries(components.schemas).filter(([, schema]) => "x-extensible-enum" in schema)
  expect(growing.map(([name]) => name)).toEqual(expect.arrayContaining(["MediaFailureCode", "ProblemCode"]))
  for (const [name, schema] of growing) {
    expect(schema, name).toMatchObject({ type: "string", "x-extensible-enum": expect.any(Array) })
    expect(Object.keys(schema), name).not.toContain("enum")
    // A caller that may send a value only of a known set is told by `enum`.
    const sent = OPERATIONS.map((operation) => (operation as { readonly requestBody?: unknown }).requestBody)
    expect(reachedFrom(sent), name).not.toContain(name)
  }
})

const headersOf = (operationId: string, status: string): ReadonlyArray<string> => {
  const response = OPERATIONS.find((one) => one.operationId === operationId)?.responses[status]
  const shared = components.responses[String(response?.$ref).split("/").at(-1) ?? ""]
  return Object.keys((shared ?? response)?.headers ?? {})
}

test("headers are described where they come", () => {
  expect(headersOf("createEvent", "201")).toEqual(expect.arrayContaining(["location", "idempotency-replayed"]))
  expect(headersOf("listEvents", "200")).toContain("link")
  expect(headersOf("getEvent", "200")).not.toContain("link")
  expect(headersOf("getPublicEvent", "200")).toContain("etag")
  expect(headersOf("getEvent", "401")).toContain("www-authenticate")
  expect(headersOf("getEvent", "429")).toEqual(expect.arrayContaining(["retry-after", "ratelimit", "ratelimit-policy"]))
  for (const { operationId, responses } of OPERATIONS) {
    if (responses["401"]?.content !== undefined || responses["401"]?.$ref !== undefined)
      expect(headersOf(operationId, "401"), operationId).toContain("www-authenticate")
    if (responses["431"] !== undefined)
      expect(responses["431"].$ref, operationId).toBe("#/components/responses/HeadersTooLarge")
  }
  const said = OPERATIONS.filter(({ responses }) => responses["431"] !== undefined).map(
    ({ operationId }) => operationId,
  )
  expect(said).toEqual(expect.arrayContaining(["listEvents", "exportGuest", "previewInvite", "putRecordingBytes"]))
  // Where the address has ids alone, a body of another kind would be one more case for every caller.
  expect(said).not.toContain("createEvent")
})

test("parameters have the types and bounds that the server reads", () => {
  const parameterOf = (operationId: string, name: string): Keywords | undefined => {
    const found = OPERATIONS.find((one) => one.operationId === operationId) as { readonly parameters?: unknown[] }
    return found.parameters?.filter(isObject).find((one) => one["name"] === name)
  }
  expect(parameterOf("deleteApiKey", "cascade")?.["schema"]).toEqual({ type: "boolean", default: false })
  expect(parameterOf("listEvents", "cursor")).not.toHaveProperty("example")
  const { IdempotencyKey } = (components as unknown as { parameters: { [name: string]: Keywords } }).parameters
  expect(IdempotencyKey?.["schema"]).toMatchObject({ minLength: 1, maxLength: 255, pattern: "^[\\x20-\\x7e]+$" })
  expect(components.schemas["CaptionSegment"]).toHaveProperty("properties.lang.minLength", 2)
  expect(components.schemas["SignupInput"]).toMatchObject({
    properties: {
      email: { type: "string", format: "email" },
      password: { type: "string", format: "password", minLength: 8, maxLength: 256 },
    },
  })
  expect(components.schemas["CreateWebhookInput"]).toHaveProperty("properties.url.format", "uri")
})

test("the rules of addresses and passwords are in the description", () => {
  const propertyOf = (name: string, property: string): Keywords =>
    (components.schemas[name] as { readonly properties: { readonly [name: string]: Keywords } }).properties[property] ??
    {}
  for (const name of ["SignupInput", "RegisterInput", "CreateInviteInput", "UpsertUserInput", "TableRecipient"]) {
    expect(propertyOf(name, "email"), name).toMatchObject({ format: "email", minLength: 3, maxLength: 320 })
    expect(propertyOf(name, "email")["description"], name).toContain("lower-cased, in Unicode NFC")
  }
  expect(propertyOf("RequestPasswordResetInput", "email")).toMatchObject({
    format: "email",
    minLength: 3,
    maxLength: 320,
  })
  for (const name of ["SignupInput", "ResetPasswordInput", "ChangePasswordInput"]) {
    expect(propertyOf(name, "password"), name).toMatchObject({ format: "password", minLength: 8, maxLength: 256 })
    expect(propertyOf(name, "password")["description"], name).toContain("10,000 most common passwords")
    expect(propertyOf(name, "password")["description"], name).toContain("never trimmed")
  }
})
