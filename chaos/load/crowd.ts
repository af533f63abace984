/** The live events, as many of each modality, and the people who are at them. */
import type { Chance } from "../chance.ts"
import type { Ledger } from "../ledger/ledger.ts"
import type { Streams } from "../ledger/streams.ts"
import { Client, type HeardHere, type Place } from "./client.ts"
import type { HealthChecks } from "./health-checks.ts"
import type { Json, Rest } from "./rest.ts"

const FEATURES = ["qa", "chat", "polls", "reactions", "capture"]
/** An agenda has at most fifty phases, so a step is taken every so often. */
export const PHASES = 40

const AGENDAS = {
  broadcast: { config: { durationSeconds: 15, onTimerEnd: "hold" } },
  meeting: { config: { durationSeconds: 20, onTimerEnd: "hold" } },
  breakout: { config: { roomSize: 4 } },
  rotation: { config: { rounds: 500, roundSeconds: 6 } },
} as const

export type Modality = keyof typeof AGENDAS

/** The things that the people of one event act upon. */
export interface EventUnderLoad {
  readonly eventId: string
  readonly modality: Modality
  readonly hosts: ReadonlyArray<Client>
  readonly people: ReadonlyArray<Client>
  readonly questions: Array<string>
  readonly polls: Array<string>
  pollsMade: number
  activePhaseId: string
}

export interface Crowd {
  readonly workspaceId: string
  readonly key: string
  readonly email: string
  /** Ids of the webhook endpoints by name. */
  readonly endpoints: ReadonlyMap<string, string>
  readonly scenes: ReadonlyArray<EventUnderLoad>
  readonly clients: () => ReadonlyArray<Client>
  readonly leave: () => void
}

interface CrowdOptions {
  /** Addresses of webhook endpoints by name; registered before anything happens. */
  readonly endpoints: ReadonlyMap<string, string>
  readonly health: HealthChecks
  readonly rest: Rest
  readonly ledger: Ledger
  readonly streams: Streams
  readonly chance: Chance
  readonly gateways: ReadonlyArray<string>
  readonly noticed: (line: string) => void
  readonly sockets: number
  /** Live events of each modality. */
  readonly perModality: number
  readonly heard: (heard: HeardHere) => void
}

const need = (answer: { readonly status: number; readonly body: Json } | undefined): Json => {
  if (answer === undefined || answer.status >= 300) throw new Error(`the load cannot start: ${JSON.stringify(answer)}`)
  return answer.body
}

const NEWEST = 40

const keep = (list: Array<string>, id: string): void => {
  list.push(id)
  if (list.length > NEWEST) list.shift()
}

const watch =
  (scene: () => EventUnderLoad | undefined) =>
  (t: string, d: Json): void => {
    const seen = scene()
    if (seen === undefined) return
    if (t === "question.created" && !seen.questions.includes(d.question.id)) keep(seen.questions, d.question.id)
    if (t === "poll.opened") keep(seen.polls, d.poll.id)
    if (t === "phase.started") seen.activePhaseId = d.phase.id
    if (t === "ready" && d.phase) seen.activePhaseId = d.phase.id
  }

export const openCrowd = async (options: CrowdOptions): Promise<Crowd> => {
  const { rest } = options
  const email = `chaos-${Date.now()}@example.com`
  const password = "correct horse battery"
  const signup = await rest.settle({
    method: "POST",
    path: "/v1/accounts/signup",
    body: { email, password, name: "Chaos" },
  })
  const cookie = String(need(signup).setCookie).split(";")[0] ?? ""
  const workspace = need(await rest.once({ method: "POST", path: "/v1/workspaces", cookie, body: { name: "Chaos" } }))
  const key = String(workspace.apiKey.secret)
  const post = async (path: string, body?: object): Promise<Json> =>
    need(await rest.once({ method: "POST", path, key, ...(body !== undefined && { body }) }))

  const endpoints = new Map<string, string>()
  for (const [name, url] of options.endpoints) endpoints.set(name, String((await post("/v1/webhooks", { url })).id))

  const session = async (eventId: string, name: string, role: string): Promise<string> => {
    const user = await post("/v1/users", { externalSub: `${eventId} ${name}`, name })
    await post(`/v1/events/${eventId}/memberships`, { userId: user.id, role })
    return String((await post(`/v1/users/${user.id}/session`)).sessionToken)
  }

  let seats = 0
  const open = async (modality: Modality, people: number): Promise<EventUnderLoad> => {
    const phase = { modality, featureSet: FEATURES, ...AGENDAS[modality] }
    const phases = Array.from({ length: PHASES }, () => phase)
    const body = { type: "webinar", title: `live ${modality}`, visibility: "public", phases }
    const { id: eventId } = await post("/v1/events", body)
    await post(`/v1/events/${eventId}/publish`)
    const started = await post(`/v1/events/${eventId}/start`)
    let scene: EventUnderLoad | undefined
    const place: Place = { ...options, eventId }
    const join = async (name: string, role: string, backMs: number, watches = false): Promise<Client> =>
      new Client(place, {
        session: await session(eventId, name, role),
        name,
        backMs,
        seat: seats++,
        ...(watches && { dispatched: watch(() => scene) }),
      })
    const names = Array.from({ length: people }, (_, n) => `person ${n}`)
    scene = {
      eventId,
      modality,
      // The first one sees for all, the second acts, and the third says whether the event is served.
      hosts: [
        await join("watcher", "host", 500, true),
        await join("actor", "host", 500),
        await join("probe", "host", 150),
      ],
      people: await Promise.all(
        names.map((name) => join(name, modality === "broadcast" ? "viewer" : "participant", 1500)),
      ),
      questions: [],
      polls: [],
      pollsMade: 0,
      activePhaseId: String(started.activePhaseId),
    }
    return scene
  }

  const modalities = Array.from({ length: options.perModality }, () => Object.keys(AGENDAS)).flat() as Array<Modality>
  const each = Math.max(2, Math.floor(options.sockets / modalities.length) - 3)
  const scenes: Array<EventUnderLoad> = []
  for (const modality of modalities) scenes.push(await open(modality, each))
  const clients = (): ReadonlyArray<Client> => scenes.flatMap(({ hosts, people }) => [...hosts, ...people])
  return {
    workspaceId: String(workspace.id),
    key,
    email,
    endpoints,
    scenes,
    clients,
    leave: () => {
      for (const client of clients()) client.leave()
    },
  }
}
