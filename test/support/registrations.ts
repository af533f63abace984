/** Registrations of an event as tests drive them: over HTTP, by the links of emails, and as webhooks tell them. */
import { type Answer, type CallOptions, call, createEvent, type Json, tokenIn, type Workspace } from "./api.ts"
import type { Rows } from "./rows.ts"
import type { TestServer } from "./server.ts"
import { eventually } from "./wait.ts"

/** A published event and its registrations. */
export const openRegistrations = async (server: TestServer, rows: Rows, workspace: Workspace, fields: object = {}) => {
  const api = (method: string, path: string, options: CallOptions = {}): Promise<Answer> =>
    call(server.url, method, path, { key: workspace.key, ...options })
  const event = await createEvent(server.url, workspace.key, fields as { [field: string]: unknown })
  const path = `/v1/events/${event.id}`
  // A feed keeps what no endpoint wants.
  await rows.run("insert into occurrence_feeds (workspace_id, read_at) values ($1, now()) on conflict do nothing", [
    workspace.id,
  ])
  await api("POST", `${path}/publish`)
  const open = (method: string, of: string, body: unknown) =>
    call(server.url, method, `/v1/public/events/${event.id}/${of}`, { body })
  const register = (email: string, name = "Ada", answers?: object) =>
    open("POST", "register", { name, email, ...(answers && { answers }) })
  const lettersTo = async (email: string): Promise<ReadonlyArray<Json>> =>
    (await call(server.url, "GET", `/v1/dev/outbox?to=${email}`)).body.mails
  const listed = async (query = ""): Promise<ReadonlyArray<Json>> =>
    (await api("GET", `${path}/registrations${query}`)).body.registrations
  /** Bodies of the webhooks about registrations, in order. */
  const bodies = async (): Promise<ReadonlyArray<Json>> =>
    (
      await rows.run(
        "select body from outbox_messages where event_id = $1 and type like 'registration.%' order by seq",
        [event.id],
      )
    ).map(({ ["body"]: body }) => JSON.parse(String(body)))
  const find = async (email: string): Promise<Json> => (await listed()).find((one) => one.email === email)
  const subjects = async (email: string) => (await lettersTo(email)).map(({ subject }) => subject).toReversed()
  return {
    event,
    api,
    path,
    bodies,
    register,
    lettersTo,
    subjects,
    listed,
    find,
    stateOf: async (email: string): Promise<string | undefined> => (await find(email))?.state,
    /** Waits until the person's registration has the state. */
    becomes: (email: string, state: string) =>
      eventually(async () => (await find(email))?.state === state, `${email} is ${state}`),
    /** Token of the newest email with links. */
    tokenOf: async (email: string): Promise<string> =>
      tokenIn((await lettersTo(email)).flatMap(({ links }) => links).find((link: string) => link.includes("#token="))),
    byLink: (of: "place" | "place/accept" | "place/leave" | "enter", token: string) => open("POST", of, { token }),
    remaining: async (): Promise<number> =>
      (await call(server.url, "GET", `/v1/public/events/${event.id}`)).body.capacity.remaining,
    /** Types and states of the webhooks about registrations, in order. */
    told: async (): Promise<ReadonlyArray<string>> =>
      (await bodies()).map(({ type, state, email }) => `${type.slice("registration.".length)} ${state} ${email}`),
    /** Ends the time of all offers. */
    endOffers: () =>
      rows.run(
        "update registrations set offer_ends_at = now() - interval '1 second' where event_id = $1 and state = 'offered'",
        [event.id],
      ),
  }
}
