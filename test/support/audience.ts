/** A whole server with two workspaces, and events whose audience asks and votes: what tests of questions start from. */
import { randomUUID } from "node:crypto"
import {
  type Answer,
  type CallOptions,
  call,
  createEvent,
  createWorkspace,
  type Json,
  tokenIn,
  type Workspace,
} from "./api.ts"
import { type Rows, rowsOf } from "./rows.ts"
import { startTestServer, type TestServer } from "./server.ts"

export interface Audience {
  readonly server: TestServer
  readonly rows: Rows
  readonly acme: Workspace
  readonly foreign: Workspace
  readonly api: (method: string, path: string, options?: CallOptions) => Promise<Answer>
  /** An event of acme's after these verbs; by default published, public, with Q&A for everybody. */
  readonly event: (fields?: object, ...verbs: ReadonlyArray<string>) => Promise<Json>
  readonly drive: (eventId: string, ...verbs: ReadonlyArray<string>) => Promise<void>
  readonly ask: (eventId: string, options?: CallOptions, text?: string) => Promise<Answer>
  /** A question that somebody signed out asked; resolves to its id. */
  readonly question: (eventId: string, text?: string) => Promise<string>
  readonly vote: (questionId: string, options?: CallOptions) => Promise<Answer>
  readonly unvote: (questionId: string, options?: CallOptions) => Promise<Answer>
  readonly list: (eventId: string, query?: string) => Promise<Answer>
  /** The session of somebody who registered for the event. */
  readonly registrant: (eventId: string, name?: string) => Promise<string>
  /** The rows behind a question's tally. */
  readonly voters: (questionId: string) => Promise<ReadonlyArray<string>>
  readonly stop: () => Promise<void>
}

export const QA = { modality: "broadcast", featureSet: ["qa"] }
const OPEN = { allowAnonymousQuestions: true, allowAnonymousVoting: true, phases: [QA] }

/** The cookie that an answer sets, as a browser sends it back. */
export const cookieOf = ({ headers }: Answer): string => (headers.get("set-cookie") ?? "").split(";")[0] ?? ""

export const openAudience = async (environment: { readonly [key: string]: string } = {}): Promise<Audience> => {
  const server = await startTestServer(environment)
  const rows = rowsOf(server.databaseUrl)
  const acme = await createWorkspace(server.url)
  const foreign = await createWorkspace(server.url)
  const api: Audience["api"] = (method, path, options = {}) => call(server.url, method, path, options)

  const drive: Audience["drive"] = async (eventId, ...verbs) => {
    for (const verb of verbs) {
      const answer = await api("POST", `/v1/events/${eventId}/${verb}`, { key: acme.key })
      if (answer.status !== 200) throw new Error(`${verb}: ${answer.status} ${JSON.stringify(answer.body)}`)
    }
  }
  const ask: Audience["ask"] = (eventId, options = {}, text = "Why?") =>
    api("POST", `/v1/public/events/${eventId}/questions`, { body: { text }, ...options })
  return {
    server,
    rows,
    acme,
    foreign,
    api,
    drive,
    ask,
    event: async (fields = {}, ...verbs) => {
      const event = await createEvent(server.url, acme.key, { ...OPEN, ...fields })
      await drive(event.id, ...(verbs.length === 0 ? ["publish"] : verbs))
      return event
    },
    question: async (eventId, text) => {
      const answer = await ask(eventId, {}, text)
      if (answer.status !== 201) throw new Error(`question: ${answer.status} ${JSON.stringify(answer.body)}`)
      return answer.body.id
    },
    vote: (questionId, options) => api("PUT", `/v1/public/questions/${questionId}/vote`, options),
    unvote: (questionId, options) => api("DELETE", `/v1/public/questions/${questionId}/vote`, options),
    list: (eventId, query = "") => api("GET", `/v1/events/${eventId}/questions${query}`, { key: acme.key }),
    registrant: async (eventId, name = "Rita") => {
      const email = `${randomUUID()}@example.com`
      await api("POST", `/v1/public/events/${eventId}/register`, { body: { name, email } })
      const { mails } = (await api("GET", `/v1/dev/outbox?to=${email}`)).body
      const token = tokenIn(mails[0].links[0])
      return (await api("POST", `/v1/public/events/${eventId}/enter`, { body: { token } })).body.sessionToken
    },
    voters: async (questionId) => {
      const found = await rows.run("select voter from question_votes where question_id = $1", [questionId])
      return found.map(({ ["voter"]: voter }) => String(voter))
    },
    stop: async () => {
      await rows.end()
      await server.stop()
    },
  }
}
