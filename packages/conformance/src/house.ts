/** Tools of the checks of a server: the REST API with the key, an event of their own, people, and connections that are traced. */
import { randomUUID } from "node:crypto"
import { Broken } from "./eventually.ts"
import { type Frame, isFrame } from "./frames.ts"
import { type Grant, type Peer, SocketPeer, StreamPeer } from "./peer.ts"

export interface ServerPromise {
  readonly id: string
  readonly sentence: string
  readonly source: string
  readonly check: (house: House, drain: () => Promise<void>) => Promise<void>
}

interface Person {
  readonly userId: string
  readonly membershipId: string
  readonly session: string
}

interface Call {
  readonly body?: unknown
  readonly bearer?: string
}

/** Lines of a report: the last frames before a promise was found broken. */
const SHOWN = 14
const TITLE = "Conformance"

export class House {
  readonly patienceMs: number
  readonly #url: string
  readonly #key: string
  readonly #peers: Peer[] = []
  readonly #events: string[] = []
  readonly #lines: string[] = []

  constructor(url: string, key: string, patienceMs: number) {
    this.#url = url.replace(/\/$/, "")
    this.#key = key
    this.patienceMs = patienceMs
  }

  /** The last frames of all connections. */
  get shown(): ReadonlyArray<string> {
    return this.#lines.slice(-SHOWN)
  }

  /** Sends a request with a session token, or else with the key. */
  async request(method: string, path: string, { body, bearer }: Call = {}): Promise<{ status: number; body: Frame }> {
    const credential = bearer === undefined ? { "x-api-key": this.#key } : { authorization: `Bearer ${bearer}` }
    const response = await fetch(`${this.#url}/v1${path}`, {
      method,
      headers: { ...credential, ...(body !== undefined && { "content-type": "application/json" }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }).catch((cause: unknown) => {
      throw new Error(`The server at ${this.#url} gives no answer.`, { cause })
    })
    const text = await response.text()
    const answer: unknown = text.startsWith("{") ? JSON.parse(text) : {}
    return { status: response.status, body: isFrame(answer) ? answer : {} }
  }

  /** As `request`, for what must succeed. */
  async api(method: string, path: string, call: Call = {}): Promise<Frame> {
    const { status, body } = await this.request(method, path, call)
    if (status >= 300) throw new Broken(`${method} /v1${path} was answered ${status}: ${JSON.stringify(body)}`)
    return body
  }

  /** An event that is live, with one meeting. */
  async event(): Promise<string> {
    const phases = [{ modality: "meeting", featureSet: ["chat"] }]
    const body = { type: "meeting", title: TITLE, visibility: "private", phases }
    const id = String((await this.api("POST", "/events", { body }))["id"])
    this.#events.push(id)
    await this.api("POST", `/events/${id}/publish`)
    await this.api("POST", `/events/${id}/start`)
    return id
  }

  async person(eventId: string, role: "host" | "participant"): Promise<Person> {
    const user = { externalSub: randomUUID(), name: role }
    const userId = String((await this.api("POST", "/users", { body: user }))["id"])
    const membership = await this.api("POST", `/events/${eventId}/memberships`, { body: { userId, role } })
    const { sessionToken } = await this.api("POST", `/users/${userId}/session`)
    return { userId, membershipId: String(membership["id"]), session: String(sessionToken) }
  }

  async grant(eventId: string, { session }: Person): Promise<Grant> {
    const { token, url } = await this.api("POST", "/auth/gateway-token", { body: { eventId }, bearer: session })
    return { token: String(token), url: String(url) }
  }

  socket(grant: Grant): SocketPeer {
    const peer = new SocketPeer(grant, this.patienceMs, this.#traceOf("socket"))
    this.#peers.push(peer)
    return peer
  }

  stream(grant: Grant, lastEventId?: string): StreamPeer {
    const peer = new StreamPeer(grant, this.patienceMs, this.#traceOf("stream"), lastEventId)
    this.#peers.push(peer)
    return peer
  }

  /** A socket of a new person, who is ready. */
  async joined(
    eventId: string,
    role: "host" | "participant",
  ): Promise<{ peer: SocketPeer; person: Person; grant: Grant }> {
    const person = await this.person(eventId, role)
    const grant = await this.grant(eventId, person)
    const peer = this.socket(grant)
    await peer.identify(grant.token)
    return { peer, person, grant }
  }

  async announce(eventId: string, ...texts: ReadonlyArray<string>): Promise<void> {
    for (const text of texts)
      await this.api("POST", `/events/${eventId}/commands`, { body: { t: "announce", d: { text } } })
  }

  /** Ends connections and events of a check. A server that was stopped has none any more. */
  async end(): Promise<void> {
    for (const peer of this.#peers.splice(0)) peer.cut()
    for (const id of this.#events.splice(0)) await this.request("POST", `/events/${id}/end`).catch(() => {})
  }

  #traceOf(kind: string): (line: string) => void {
    const name = `${kind} ${this.#peers.length + 1}`
    return (line) => this.#lines.push(`${name} ${line}`)
  }
}
