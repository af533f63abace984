/**
 * A media server for tests, as far as LiveKit's own interface goes: requests of its library are decoded and their tokens checked, and it says
 * in a signed message who has come into a room. As LiveKit does, it forgets whom it disconnected: their token admits them until it expires. The
 * rooms and their people are the test's; sound and picture there are none.
 */
import { createHash } from "node:crypto"
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { Redacted } from "effect"
import { AccessToken, TokenVerifier } from "livekit-server-sdk"
import type { MediaServer } from "../../src/media/seats.ts"
import { newId } from "../../src/model/ids.ts"
import type { Json } from "./api.ts"
import { keepAlive } from "./keep-alive.ts"
import { eventually } from "./wait.ts"

const SECRET = "a secret of the media server's, long enough"
const KEY = "key"

export interface Person {
  readonly identity: string
  /** As the interface names kinds: a person, or a recorder. */
  readonly kind: "STANDARD" | "EGRESS"
  readonly metadata?: string
}

interface Message {
  readonly body: string
  readonly authorization: string
}

/** A recording, in the words of the interface. */
export interface Egress {
  readonly egressId: string
  readonly roomName: string
  readonly roomComposite: Json
  status: "EGRESS_ACTIVE" | "EGRESS_ENDING" | "EGRESS_COMPLETE" | "EGRESS_FAILED"
  fileResults: ReadonlyArray<{ readonly filename: string; readonly size: string }>
  segmentResults: ReadonlyArray<{ readonly playlistName: string; readonly size: string }>
  /** In nanoseconds. */
  startedAt: string
}

export interface LiveKitServer {
  readonly server: MediaServer
  /** By room. */
  readonly rooms: Map<string, Person[]>
  /** Somebody is in a room: no token is looked at, and no message sent. */
  readonly enter: (room: string, identity: string, kind?: Person["kind"]) => void
  /**
   * Comes with a token, as a client does. Resolves when the message about it is answered. The result is the token that the media server gives
   * to whoever is connected: the same rights, for ten minutes from now on.
   */
  readonly join: (token: string) => Promise<string>
  /** Where messages go; undefined: nowhere. */
  webhookUrl: string | undefined
  /** The statuses that answered the messages. */
  readonly answers: number[]
  /** Resolves when everybody in the room has been judged: a stranger with changed metadata, who came after them, is out. */
  readonly judged: (room: string) => Promise<void>
  readonly isIn: (room: string, identity: string) => boolean
  /** Requests that fail from now on. */
  failures: number
  /** Recordings in the order of their beginning. */
  readonly egresses: Egress[]
  /** Called before a beginning is answered. */
  beforeAnswer: ((egress: Egress) => Promise<void>) | undefined
  /** A refusal of some calls, instead of their answer. */
  refuse: ((method: string, asked: Json) => { readonly status: number; readonly body: Json } | undefined) | undefined
  /** The message that the media server sends about a recording, and its signature. */
  readonly messageAbout: (egress: Egress) => Promise<Message>
  readonly stop: () => Promise<void>
}

const bodyOf = async (request: IncomingMessage): Promise<Json> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return JSON.parse(Buffer.concat(chunks).toString("utf8"))
}

const signed = async (message: object): Promise<Message> => {
  const body = JSON.stringify(message)
  const token = new AccessToken(KEY, SECRET)
  token.sha256 = createHash("sha256").update(body).digest("base64")
  return { body, authorization: await token.toJwt() }
}

/** A token for a room with metadata of the caller's choice. */
export const tokenWith = (room: string, identity: string, metadata: string): Promise<string> => {
  const token = new AccessToken(KEY, SECRET, { identity, metadata })
  token.addGrant({ room, roomJoin: true })
  return token.toJwt()
}

export const startLiveKit = async (): Promise<LiveKitServer> => {
  const verifier = new TokenVerifier(KEY, SECRET)
  const rooms = new Map<string, Person[]>()
  const notFound = { status: 404, body: { code: "not_found", msg: "requested room does not exist" } }
  const ok = (body: Json) => ({ status: 200, body })

  type Call = (asked: Json, grant: Json) => { readonly status: number; readonly body: Json }
  const denied = { status: 401, body: { code: "unauthenticated", msg: "permissions denied" } }
  /** For calls that a token of the room's admin is needed for. */
  const inRoom =
    (call: (asked: Json) => ReturnType<Call>): Call =>
    (asked, { roomAdmin, room }) =>
      roomAdmin === true && room === asked.room ? call(asked) : denied
  const CALLS: { [method: string]: Call } = {
    ListRooms: (_, { roomList }) =>
      roomList === true ? ok({ rooms: Array.from(rooms.keys(), (name) => ({ name, sid: name })) }) : denied,
    ListParticipants: inRoom(({ room }) => (rooms.has(room) ? ok({ participants: rooms.get(room) }) : notFound)),
    RemoveParticipant: inRoom(({ room, identity }) => {
      const others = rooms.get(room)?.filter((person) => person.identity !== identity) ?? []
      const wasThere = rooms.get(room)?.length !== others.length && rooms.has(room)
      if (!wasThere) return notFound
      rooms.set(room, others)
      return ok({})
    }),
    DeleteRoom: ({ room }, { roomCreate }) => {
      if (roomCreate !== true) return denied
      return rooms.delete(room) ? ok({}) : notFound
    },
  }
  const egresses: Egress[] = []
  /** Tests let the media server forget recordings: an id is given once all the same. */
  let begun = 0
  const EGRESS_CALLS: { readonly [method: string]: (asked: Json) => ReturnType<Call> } = {
    StartRoomCompositeEgress: (asked) => {
      if (!rooms.has(asked.roomName)) return notFound
      const egress: Egress = {
        egressId: `EG_${begun++}`,
        roomName: asked.roomName,
        roomComposite: asked,
        status: "EGRESS_ACTIVE",
        fileResults: [],
        segmentResults: [],
        startedAt: `${Date.now()}000000`,
      }
      egresses.push(egress)
      return ok(egress)
    },
    StopEgress: ({ egressId }) => {
      const egress = egresses.find((one) => one.egressId === egressId)
      if (egress === undefined) return notFound
      if (egress.status !== "EGRESS_ACTIVE") return { status: 412, body: { code: "failed_precondition", msg: "" } }
      egress.status = "EGRESS_ENDING"
      return ok(egress)
    },
    ListEgress: ({ roomName = "", egressId = "", active = false }) =>
      ok({
        items: egresses.filter(
          (one) =>
            (roomName === "" || one.roomName === roomName) &&
            (egressId === "" || one.egressId === egressId) &&
            (!active || one.status === "EGRESS_ACTIVE"),
        ),
      }),
  }
  for (const [name, run] of Object.entries(EGRESS_CALLS)) {
    CALLS[name] = (asked, { roomRecord }) => (roomRecord === true ? run(asked) : denied)
  }

  const answer = (method: string, asked: Json, grant: Json) =>
    CALLS[method]?.(asked, grant) ?? { status: 404, body: { code: "bad_route", msg: method } }

  const state: Pick<LiveKitServer, "failures" | "beforeAnswer" | "refuse" | "webhookUrl"> = {
    webhookUrl: undefined,
    failures: 0,
    beforeAnswer: undefined,
    refuse: undefined,
  }
  const answers: number[] = []
  const come = async (room: string, person: Person): Promise<void> => {
    const others = rooms.get(room)?.filter(({ identity }) => identity !== person.identity) ?? []
    rooms.set(room, [...others, person])
    if (state.webhookUrl === undefined) return
    const { body, authorization } = await signed({
      event: "participant_joined",
      id: `EV_${answers.length}`,
      room: { name: room, sid: room },
      participant: { ...person, sid: person.identity, state: "ACTIVE" },
    })
    const headers = { "content-type": "application/webhook+json", authorization }
    const { status } = await fetch(state.webhookUrl, { method: "POST", headers, body })
    answers.push(status)
  }

  const listening = createServer((request, response) => {
    const respond = async () => {
      if (state.failures > 0) {
        state.failures--
        return { status: 503, body: { code: "unavailable", msg: "later" } }
      }
      const { video } = await verifier.verify((request.headers.authorization ?? "").replace("Bearer ", ""))
      const method = request.url?.split("/").at(-1) ?? ""
      const asked = await bodyOf(request)
      const answered = state.refuse?.(method, asked) ?? answer(method, asked, video ?? {})
      if (method === "StartRoomCompositeEgress" && answered.status === 200) await state.beforeAnswer?.(answered.body)
      return answered
    }
    void respond()
      .catch((cause: unknown) => ({ status: 401, body: { code: "unauthenticated", msg: String(cause) } }))
      .then(({ status, body }) =>
        response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body)),
      )
  })
  keepAlive(listening)
  await new Promise<void>((resolve) => listening.listen(0, "127.0.0.1", resolve))
  const join: LiveKitServer["join"] = async (token) => {
    const { sub: identity = "", name = "", metadata = "", video } = await verifier.verify(token)
    if (video?.roomJoin !== true || video.room === undefined) throw new Error("the token admits to no room")
    await come(video.room, { identity, kind: "STANDARD", metadata })
    const renewed = new AccessToken(KEY, SECRET, { identity, name, metadata, ttl: "10m" })
    renewed.addGrant(video)
    return renewed.toJwt()
  }
  const isIn: LiveKitServer["isIn"] = (room, identity) =>
    rooms.get(room)?.some((person) => person.identity === identity) === true
  const { port } = listening.address() as AddressInfo
  return {
    server: { url: `ws://127.0.0.1:${port}`, apiKey: KEY, apiSecret: Redacted.make(SECRET) },
    rooms,
    answers,
    egresses,
    messageAbout: (egressInfo) => signed({ event: "egress_ended", id: "EV_1", egressInfo }),
    enter: (room, identity, kind = "STANDARD") => rooms.set(room, [...(rooms.get(room) ?? []), { identity, kind }]),
    join,
    judged: async (room) => {
      const stranger = newId()
      await join(await tokenWith(room, stranger, "changed"))
      await eventually(() => !isIn(room, stranger), "the stranger is out")
    },
    get webhookUrl() {
      return state.webhookUrl
    },
    set webhookUrl(url) {
      state.webhookUrl = url
    },
    isIn,
    get failures() {
      return state.failures
    },
    set failures(count) {
      state.failures = count
    },
    get beforeAnswer() {
      return state.beforeAnswer
    },
    set beforeAnswer(call) {
      state.beforeAnswer = call
    },
    get refuse() {
      return state.refuse
    },
    set refuse(call) {
      state.refuse = call
    },
    stop: () =>
      new Promise((resolve) => {
        listening.close(() => resolve())
        listening.closeAllConnections()
      }),
  }
}
