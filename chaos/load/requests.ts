/** REST under one key per request: events, phases and users that are created, agendas that are advanced, races for places. */
import { sleep } from "../chance.ts"
import type { Ledger } from "../ledger/ledger.ts"
import type { Json, Rest } from "./rest.ts"

export interface Desk {
  readonly rest: Rest
  readonly ledger: Ledger
  readonly key: string
  readonly mark: () => string
}

/** A race that is over: the people who were granted a place, and the number of places. */
export interface Race {
  readonly eventId: string
  readonly capacity: number
  readonly admitted: ReadonlyArray<string>
  /** Everybody got a final answer. */
  readonly isComplete: boolean
  readonly during: string
}

const DRAFT = { type: "webinar", visibility: "public" } as const
const STEPS = 6
const CAPACITY = 5
const RUNNERS = 14

/** An event, a phase appended to it, and a user. */
export const createThings = async ({ rest, ledger, key, mark }: Desk): Promise<void> => {
  const title = mark()
  ledger.ask("event", title, null)
  const event = await rest.once({ method: "POST", path: "/v1/events", key, body: { ...DRAFT, title } })
  if (event?.status !== 201) return
  ledger.acknowledge("event", title)
  const phase = mark()
  ledger.ask("phase", phase, null)
  const body = { modality: "meeting", config: { mark: phase } }
  const appended = await rest.once({ method: "POST", path: `/v1/events/${event.body.id}/phases`, key, body })
  if (appended?.status === 201) ledger.acknowledge("phase", phase)
  const externalSub = mark()
  ledger.ask("user", externalSub, null)
  const user = await rest.once({ method: "POST", path: "/v1/users", key, body: { externalSub, name: "Somebody" } })
  if (user !== undefined && user.status < 300) ledger.acknowledge("user", externalSub)
}

const activePosition = (event: Json): number =>
  event.phases.find(({ id }: { readonly id: string }) => id === event.activePhaseId)?.position ?? -1

/** An event of its own, advanced step by step without a guard: the key alone keeps a repeat from skipping a phase. */
export const walkAgenda = async ({ rest, ledger, key, mark }: Desk): Promise<void> => {
  const title = mark()
  ledger.ask("event", title, null)
  const phases = Array.from({ length: 2 * STEPS + 2 }, () => ({ modality: "meeting" }))
  const event = await rest.once({ method: "POST", path: "/v1/events", key, body: { ...DRAFT, title, phases } })
  if (event?.status !== 201) return
  ledger.acknowledge("event", title)
  const path = `/v1/events/${event.body.id}`
  for (const verb of ["publish", "start"]) {
    if ((await rest.once({ method: "POST", path: `${path}/${verb}`, key }))?.status !== 200) return
  }
  let position = 0
  for (let step = 1; step <= STEPS; step++) {
    const { during } = ledger
    const moved = await rest.once({ method: "POST", path: `${path}/advance`, key, body: {} })
    if (moved?.status !== 200) return
    const now = activePosition(moved.body)
    if (now !== position + 1) {
      ledger.violate("I3", `one advance under one key moved ${now - position} phases on`, during)
    }
    position = now
    ledger.count("advances acknowledged")
    await sleep(200)
  }
  await rest.once({ method: "POST", path: `${path}/end`, key })
}

/** More people than places, all at once. */
export const race = async ({ rest, ledger, key, mark }: Desk): Promise<Race | undefined> => {
  const title = mark()
  ledger.ask("event", title, null)
  const body = { ...DRAFT, title, capacity: CAPACITY, phases: [{ modality: "meeting" }] }
  const event = await rest.once({ method: "POST", path: "/v1/events", key, body })
  if (event?.status !== 201) return undefined
  ledger.acknowledge("event", title)
  const { during } = ledger
  const eventId = String(event.body.id)
  if ((await rest.once({ method: "POST", path: `/v1/events/${eventId}/publish`, key }))?.status !== 200)
    return undefined
  const register = async (email: string): Promise<"in" | "full" | "unknown"> => {
    const path = `/v1/public/events/${eventId}/register`
    const answer = await rest.settle({ method: "POST", path, body: { name: "Runner", email } })
    if (answer?.status === 200) return "in"
    return answer?.body.code === "event_full" ? "full" : "unknown"
  }
  const emails = Array.from({ length: RUNNERS }, () => `${mark()}@example.com`)
  const outcomes = await Promise.all(emails.map(register))
  const admitted = emails.filter((_, n) => outcomes[n] === "in")
  return { eventId, capacity: CAPACITY, admitted, isComplete: !outcomes.includes("unknown"), during }
}
