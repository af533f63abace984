/** REST calls as tests make them, and the things most tests need first: an account, a workspace with its key, an event. */
import { randomUUID } from "node:crypto"
import { type Dispatcher, request } from "undici"
import { breachOf } from "./description.ts"
import { PATIENCE_MS } from "./patience.ts"

export type Json = any // bodies are asserted on, not typed

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: Json
}

export interface CallOptions {
  readonly body?: unknown
  /** Sent as it is instead of `body`. */
  readonly raw?: string | Uint8Array
  readonly key?: string | undefined
  readonly cookie?: string | undefined
  readonly bearer?: string | undefined
  readonly headers?: { readonly [name: string]: string }
}

const headersOf = (received: Dispatcher.ResponseData["headers"]): Headers => {
  const headers = new Headers()
  for (const [name, value = ""] of Object.entries(received)) {
    for (const one of Array.isArray(value) ? value : [value]) headers.append(name, one)
  }
  return headers
}

/** Follows no redirect. `request` takes a fifth of the processor time of `fetch`, and a run makes tens of thousands of calls. */
export const call = async (base: string, method: string, path: string, options: CallOptions = {}): Promise<Answer> => {
  const headers: { [name: string]: string } = { ...options.headers }
  if (options.body !== undefined || options.raw !== undefined) headers["content-type"] ??= "application/json"
  if (options.key !== undefined) headers["x-api-key"] = options.key
  if (options.cookie !== undefined) headers["cookie"] = options.cookie
  if (options.bearer !== undefined) headers["authorization"] = `Bearer ${options.bearer}`
  const body = options.raw ?? (options.body === undefined ? undefined : JSON.stringify(options.body))
  const response = await request(base + path, {
    method: method as Dispatcher.HttpMethod,
    headers,
    // A call that is never answered is told as one, with its path, before the test is out of time.
    headersTimeout: PATIENCE_MS,
    ...(body === undefined ? {} : { body }),
  }).catch((cause: unknown) => {
    throw new Error(`${method} ${path} was not answered`, { cause })
  })
  const text = await response.body.text()
  const status = response.statusCode
  const answered = headersOf(response.headers)
  const type = answered.get("content-type") ?? ""
  const isJson = type.includes("json")
  const parsed: Json = isJson && text !== "" ? JSON.parse(text) : text
  const breach = breachOf(method, path.split("?")[0] ?? path, { status, type, body: parsed, headers: answered })
  if (breach !== undefined) throw new Error(`the API's description does not hold: ${breach}`)
  return { status, headers: answered, body: parsed }
}

/** What a refusal says to programs. */
export const problemOf = ({ status, body }: Pick<Answer, "status" | "body">): readonly [number, Json] => [
  status,
  body.code,
]

/** A call that is made again while the server has too much to do, as clients do it. Many calls at once may be too much for a busy machine. */
export const untilTaken = async (make: () => Promise<Answer>): Promise<Answer> => {
  const answer = await make()
  return answer.status === 503 ? untilTaken(make) : answer
}

/** An address that nobody else has. */
export const newEmail = (domain = "example.com") => `${randomUUID()}@${domain}`

export const PASSWORD = "correct horse battery"

export interface Account {
  readonly id: string
  readonly email: string
  readonly cookie: string
  readonly workspaceId: string
}

export const signup = async (base: string, name = "Ada"): Promise<Account> => {
  let email = ""
  const answer = await untilTaken(() => {
    email = `${name.toLowerCase()}-${randomUUID()}@example.com`
    return call(base, "POST", "/v1/accounts/signup", { body: { email, password: PASSWORD, name } })
  })
  if (answer.status !== 201) throw new Error(`signup: ${answer.status} ${JSON.stringify(answer.body)}`)
  return {
    id: answer.body.account.id,
    email,
    cookie: (answer.headers.get("set-cookie") ?? "").split(";")[0] ?? "",
    workspaceId: answer.body.workspaces[0].id,
  }
}

export interface Workspace {
  readonly id: string
  readonly key: string
  readonly owner: Account
}

export const createWorkspace = async (base: string, owner?: Account): Promise<Workspace> => {
  const account = owner ?? (await signup(base))
  const answer = await untilTaken(() =>
    call(base, "POST", "/v1/workspaces", { cookie: account.cookie, body: { name: "Acme" } }),
  )
  if (answer.status !== 201) throw new Error(`workspace: ${answer.status} ${JSON.stringify(answer.body)}`)
  return { id: answer.body.id, key: answer.body.apiKey.secret, owner: account }
}

export const createEvent = async (
  base: string,
  key: string,
  fields: { readonly [field: string]: unknown } = {},
): Promise<Json> => {
  const body = {
    type: "webinar",
    title: "Launch",
    visibility: "public",
    phases: [{ modality: "broadcast" }],
    ...fields,
  }
  const answer = await untilTaken(() => call(base, "POST", "/v1/events", { key, body }))
  if (answer.status !== 201) throw new Error(`event: ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body
}

/** An event that is live, with its phases. */
export const createLiveEvent = async (
  base: string,
  key: string,
  fields: { readonly [field: string]: unknown } = {},
): Promise<Json> => {
  const { id } = await createEvent(base, key, fields)
  await call(base, "POST", `/v1/events/${id}/publish`, { key })
  return (await call(base, "POST", `/v1/events/${id}/start`, { key })).body
}

/** One of the integrator's users with a role on the event, and a session token for them. */
export const createPerson = async (
  base: string,
  key: string,
  eventId: string,
  role: string,
  name = role,
): Promise<{ readonly userId: string; readonly session: string }> => {
  const user = await call(base, "POST", "/v1/users", { key, body: { externalSub: randomUUID(), name } })
  const userId = user.body.id
  await call(base, "POST", `/v1/events/${eventId}/memberships`, { key, body: { userId, role } })
  const session = await call(base, "POST", `/v1/users/${userId}/session`, { key })
  return { userId, session: session.body.sessionToken }
}

/** A gateway token for the holder of a session, or for an anonymous viewer. */
export const gatewayToken = async (
  base: string,
  eventId: string,
  session?: string,
): Promise<{ readonly token: string; readonly url: string; readonly expiresAt: string }> => {
  const answer = await call(base, "POST", "/v1/auth/gateway-token", { body: { eventId }, bearer: session })
  if (answer.status !== 200) throw new Error(`gateway token: ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body
}

/** The token of a link in an email, which stands behind its `#`. */
/** The link of the newest email by which somebody who registered enters the event. */
export const entryLink = async (base: string, email: string, eventId: string): Promise<string> => {
  const { mails } = (await call(base, "GET", `/v1/dev/outbox?to=${encodeURIComponent(email)}`)).body
  const links: ReadonlyArray<string> = mails.flatMap((mail: Json) => mail.links)
  const link = links.find((one) => one.includes(`/enter/${eventId}#`))
  if (link === undefined) throw new Error(`no entry link for ${email}`)
  return link
}

export const tokenIn = (url: string): string => new URLSearchParams(new URL(url).hash.slice(1)).get("token") ?? ""
