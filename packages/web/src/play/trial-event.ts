/** Everything needed to try the server out, created over REST as by an integrator. */
import { makeRestClient } from "@gathercue/client"
import { rest, SERVER } from "../api/rest.ts"

const PASSWORD_BYTES = 18
const VIEWERS = ["Ada", "Ben", "Cleo"]

export interface PlayerSession {
  readonly name: string
  readonly role: "host" | "participant"
  readonly sessionToken: string
}

export interface TrialEvent {
  readonly workspaceId: string
  /** Shown in snippets, so that they run unchanged. It is a key of a server that is being tried out. */
  readonly apiKey: string
  readonly eventId: string
  readonly seats: ReadonlyArray<PlayerSession>
  readonly hook: { readonly inbox: string; readonly secret: string }
}

const random = (): string => crypto.randomUUID()

const newPassword = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(PASSWORD_BYTES)), (byte) => byte.toString(36)).join("")

export const createTrialEvent = async (): Promise<TrialEvent> => {
  const account = await rest.signup({
    payload: { email: `play-${random()}@example.com`, password: newPassword(), name: "Playground" },
  })
  const workspaceId = account.workspaces[0]?.id ?? ""
  const key = await rest.createApiKey({ params: { id: workspaceId }, payload: { name: "Playground" } })
  const api = makeRestClient({ baseUrl: SERVER, apiKey: key.secret })
  const inbox = random()
  const hook = await api.createWebhook({ payload: { url: `${SERVER}/v1/dev/inboxes/${inbox}` } })
  const event = await api.createEvent({
    payload: {
      type: "meeting",
      title: "Playground",
      visibility: "public",
      phases: [
        {
          modality: "meeting",
          featureSet: ["qa", "chat", "polls", "reactions"],
          config: { durationSeconds: 3600, extendable: true },
        },
        { modality: "breakout", featureSet: ["chat"], config: { roomSize: 2 } },
        { modality: "rotation", featureSet: ["chat"], config: {} },
        { modality: "broadcast", featureSet: ["qa", "chat"], config: {} },
      ],
    },
  })
  const params = { id: event.id }
  await api.publishEvent({ params })
  await api.startEvent({ params })
  const seatOf = async (name: string, role: PlayerSession["role"]): Promise<PlayerSession> => {
    const user = await api.upsertUser({ payload: { externalSub: random(), name } })
    await api.createMembership({ params, payload: { userId: user.id, role } })
    const { sessionToken } = await api.createUserSession({ params: { id: user.id } })
    return { name, role, sessionToken }
  }
  const seats = [await seatOf("Host", "host")]
  for (const name of VIEWERS) seats.push(await seatOf(name, "participant"))
  return { workspaceId, apiKey: key.secret, eventId: event.id, seats, hook: { inbox, secret: hook.secret } }
}
