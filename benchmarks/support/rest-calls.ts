/** REST calls that prepare a measurement; not themselves measured. */
import { randomUUID } from "node:crypto"

type Json = any // answers are read by the few fields a benchmark needs

export const call = async (
  base: string,
  method: string,
  path: string,
  given: { readonly body?: unknown; readonly key?: string; readonly cookie?: string } = {},
): Promise<Json> => {
  const headers: { [name: string]: string } = {}
  if (given.body !== undefined) headers["content-type"] = "application/json"
  if (given.key !== undefined) headers["x-api-key"] = given.key
  if (given.cookie !== undefined) headers["cookie"] = given.cookie
  const body = given.body === undefined ? {} : { body: JSON.stringify(given.body) }
  const response = await fetch(base + path, { method, headers, ...body })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
  const answer: Json = text === "" ? {} : JSON.parse(text)
  return Object.assign(answer, { setCookie: response.headers.get("set-cookie") })
}

export interface BenchWorkspace {
  readonly id: string
  readonly key: string
}

export const createWorkspace = async (base: string): Promise<BenchWorkspace> => {
  const account = await call(base, "POST", "/v1/accounts/signup", {
    body: { email: `bench-${randomUUID()}@example.com`, password: "correct horse battery", name: "Bench" },
  })
  const cookie = String(account.setCookie).split(";")[0] ?? ""
  const workspace = await call(base, "POST", "/v1/workspaces", { cookie, body: { name: "Bench" } })
  return { id: workspace.id, key: workspace.apiKey.secret }
}

export const AGENDA = [
  { modality: "broadcast", config: { durationSeconds: 3600 }, featureSet: ["qa", "chat"] },
  { modality: "breakout", config: { roomSize: 5, durationSeconds: 900 }, featureSet: ["chat"] },
  { modality: "meeting", config: { durationSeconds: 1800 }, featureSet: ["qa", "polls"] },
]

export const eventBody = (phases: ReadonlyArray<unknown> = AGENDA) => ({
  type: "webinar",
  title: "Quarterly product launch",
  visibility: "public",
  scheduledAt: "2027-03-01T17:00:00Z",
  metadata: { campaign: "spring", track: 3 },
  phases,
})

/** Creates, publishes and starts an event; resolves to its id. */
export const createLiveEvent = async (base: string, key: string, phases?: ReadonlyArray<unknown>): Promise<string> => {
  const { id } = await call(base, "POST", "/v1/events", { key, body: eventBody(phases) })
  await call(base, "POST", `/v1/events/${id}/publish`, { key })
  await call(base, "POST", `/v1/events/${id}/start`, { key })
  return id
}
