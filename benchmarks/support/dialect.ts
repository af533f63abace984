/**
 * How an audience speaks to each server: our gateway's protocol, Socket.IO's (Engine.IO 4 over WebSocket), or nothing but
 * frames. Reads only as much of a frame as counting needs; sampled sockets read all of it.
 */
import { type GatewayPlace, gatewayToken } from "./gateway-tokens.ts"
import type { LoadConnection } from "./websocket.ts"

export interface Resume {
  readonly epoch: string
  readonly cursors: { readonly event: number }
}

/** The meaning of a frame for the audience. */
export type Meaning =
  | { readonly kind: "joined"; readonly epoch?: string; readonly s?: number }
  | { readonly kind: "caughtUp" }
  /** Dispatches of a stream; `last` is the place of the last one. */
  | { readonly kind: "dispatches"; readonly last: number }
  /** One dispatch without a place. */
  | { readonly kind: "dispatch" }
  | { readonly kind: "other" }

export interface Dialect {
  /** The token of an event stream of the index, where the audience has streams in place of sockets. */
  readonly streamToken?: (index: number) => Promise<string>
  readonly path: string
  readonly opened: (socket: LoadConnection) => boolean
  readonly read: (socket: LoadConnection, payload: Buffer, resume: Resume | undefined) => Meaning
  /** Times of all dispatches in the frame, and their places where they have one. For sampled sockets. */
  readonly details: (payload: Buffer) => ReadonlyArray<{ readonly ts: number; readonly s: number | undefined }>
  readonly heartbeat: string | undefined
}

const OTHER: Meaning = { kind: "other" }
const CAUGHT_UP: Meaning = { kind: "caughtUp" }
const ONE: Meaning = { kind: "dispatch" }

type Dispatch = { readonly ts?: number; readonly s?: number; readonly st?: string }

const ordered = (text: string): ReadonlyArray<{ ts: number; s: number | undefined }> => {
  const frame = JSON.parse(text) as Dispatch | ReadonlyArray<Dispatch>
  return (Array.isArray(frame) ? frame : [frame])
    .filter(({ st }: Dispatch) => st === "event")
    .map(({ ts = 0, s }: Dispatch) => ({ ts, s }))
}

const marker = (stream: string): string => `"st":"${stream}","s":`
const EVENT = marker("event")
const PEOPLE = marker("people")

/** Place of the last dispatch of a frame of ours in the stream; 0 when it holds none. */
const lastPlace = (payload: Buffer, mark = EVENT): number => {
  const at = payload.lastIndexOf(mark)
  if (at < 0) return 0
  let place = 0
  for (let n = at + mark.length; ; n++) {
    const digit = (payload[n] ?? 0) - 48
    if (digit < 0 || digit > 9) return place
    place = place * 10 + digit
  }
}

const startsWith = (payload: Buffer, text: string): boolean => payload.toString("latin1", 0, text.length) === text

const READY = '{"op":0,"t":"ready"'

const CAUGHT_UP_NAME = '"t":"caughtUp"'

const readReady = (payload: Buffer): Meaning => {
  const text = payload.toString("utf8")
  const epoch = /"epoch":"([^"]+)"/.exec(text)?.[1] ?? ""
  const cursor = Number(/"cursors":\{[^}]*"event":(\d+)/.exec(text)?.[1] ?? 0)
  return { kind: "joined", epoch, s: Math.max(cursor, lastPlace(payload)) }
}

export const gatewayDialect = (place: GatewayPlace, participantOf: (index: number) => string): Dialect => {
  // Of the stream `people` one place is kept for all sockets: it is silent but for those on stage, once the audience is large.
  let people = 0
  const resumeOf = ({ epoch, cursors }: Resume) => ({ epoch, cursors: { ...cursors, people } })
  return {
    path: "/v1/gateway",
    opened: () => false,
    read: (socket, payload, resume) => {
      people = Math.max(people, lastPlace(payload, PEOPLE))
      // Dispatches since the snapshot may come in one frame with it.
      if (startsWith(payload, READY) || startsWith(payload, `[${READY},"d":{"resumed":false`)) {
        people = Math.max(people, Number(/"cursors":\{[^}]*"people":(\d+)/.exec(payload.toString("utf8"))?.[1] ?? 0))
        return readReady(payload)
      }
      const last = lastPlace(payload)
      if (last > 0) return { kind: "dispatches", last }
      // It may come with a ready, or with dispatches of other streams.
      if (payload.includes(CAUGHT_UP_NAME)) return CAUGHT_UP
      if (startsWith(payload, '{"op":10')) {
        const identify = (token: string): void =>
          socket.send(
            JSON.stringify({ op: 2, d: { token, ...(resume === undefined ? {} : { resume: resumeOf(resume) }) } }),
          )
        void gatewayToken(place, participantOf(socket.index), "viewer").then(identify)
      }
      return OTHER
    },
    details: (payload) => ordered(payload.toString("utf8")),
    heartbeat: '{"op":1,"d":{"t0":0}}',
  }
}

/** The same over event streams, which identify themselves by the token of their request. */
export const streamDialect = (place: GatewayPlace, participantOf: (index: number) => string): Dialect => ({
  ...gatewayDialect(place, participantOf),
  streamToken: (index) => gatewayToken(place, participantOf(index), "viewer"),
})

export const SOCKET_IO_PATH = "/socket.io/?EIO=4&transport=websocket"
const GATHERED = '42["dispatches"'

/** `tokenOf`: of the socket with the index, for a server that asks for one. */
export const socketIoDialect = (tokenOf?: (index: number) => Promise<string>): Dialect => ({
  path: SOCKET_IO_PATH,
  opened: () => false,
  read: (socket, payload) => {
    if (startsWith(payload, "42")) {
      return startsWith(payload, GATHERED) ? { kind: "dispatches", last: lastPlace(payload) } : ONE
    }
    if (startsWith(payload, "40")) return { kind: "joined" }
    if (startsWith(payload, "0")) {
      if (tokenOf === undefined) socket.send("40")
      else void tokenOf(socket.index).then((token) => socket.send(`40${JSON.stringify({ token })}`))
    } else if (startsWith(payload, "2")) socket.send("3")
    return OTHER
  },
  details: (payload) => {
    const [, content] = JSON.parse(payload.toString("utf8", 2)) as [string, Dispatch | ReadonlyArray<Dispatch>]
    const dispatches = Array.isArray(content) ? (content as ReadonlyArray<Dispatch>) : [content as Dispatch]
    return dispatches.map(({ ts = 0, s }) => ({ ts, s }))
  },
  heartbeat: undefined,
})

/** Frames as ours, without a word from the client. */
export const rawDialect: Dialect = {
  path: "/",
  opened: () => true,
  read: (_socket, payload) => ({ kind: "dispatches", last: lastPlace(payload) }),
  details: (payload) => ordered(payload.toString("utf8")),
  heartbeat: undefined,
}
