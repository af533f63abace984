/** Faults of a server, each by the promise that it breaks. */
import { at, type Frame, OP } from "../../packages/conformance/src/frames.ts"
import type { Fault, Line } from "./faulty-proxy.ts"

const without = (frame: Frame, name: string): Frame => {
  const { [name]: _gone, ...d } = at(frame, "d")
  return { ...frame, d }
}

const isReady = ({ t }: Frame, resumed: boolean, d: Frame): boolean => t === "ready" && d["resumed"] === resumed

/** The place of an announcement on its connection, from 1; 0 for anything else. */
const placeOf = (frame: Frame, line: Line): number => {
  if (frame["t"] !== "announcement") return 0
  line.announcements++
  return line.announcements
}

/** Gives an id that was used before another one, and the reply the client's. */
const forgetful = (): Fault => {
  const used = new Map<string, number>()
  return {
    sent: (frame) => {
      if (frame["op"] !== OP.command) return [frame]
      const id = String(frame["id"])
      const times = (used.get(id) ?? 0) + 1
      used.set(id, times)
      return [{ ...frame, id: times === 1 ? id : `${id}#${times}` }]
    },
    received: (frame) => (frame["op"] === OP.reply ? [{ ...frame, id: String(frame["id"]).split("#")[0] }] : [frame]),
  }
}

/** Reads a token without its signature. */
const credulous = (): Fault => ({
  sent: (frame) => {
    if (frame["op"] !== OP.identify) return [frame]
    const token = String(at(frame, "d")["token"]).replace(/-damaged$/, "")
    return [{ ...frame, d: { ...at(frame, "d"), token } }]
  },
})

export const SERVER_FAULTS: ReadonlyArray<readonly [promise: string, fault: string, make: () => Fault]> = [
  [
    "hello",
    "says nothing of the largest frame",
    () => ({
      received: (frame) => [frame["op"] === OP.hello ? without(frame, "maxFrame") : frame],
    }),
  ],
  [
    "ready",
    "tells nobody who is there",
    () => ({
      received: (frame) => [isReady(frame, false, at(frame, "d")) ? without(frame, "presence") : frame],
    }),
  ],
  [
    "heartbeats",
    "acknowledges without the heads",
    () => ({
      received: (frame) => [frame["op"] === OP.heartbeatAck ? without(frame, "heads") : frame],
    }),
  ],
  [
    "order",
    "drops a dispatch",
    () => ({
      received: (frame, line) => (placeOf(frame, line) === 6 ? [] : [frame]),
    }),
  ],
  [
    "order",
    "swaps two dispatches",
    () => ({
      received: (frame, line) => {
        const place = placeOf(frame, line)
        if (place === 6) line.kept = frame
        return place === 6 ? [] : [frame, ...(place === 7 && line.kept !== undefined ? [line.kept] : [])]
      },
    }),
  ],
  [
    "resume",
    "forgets the cursors",
    () => ({
      sent: (frame) => {
        const resume = at(frame, "d", "resume")
        return [
          frame["op"] === OP.identify && "epoch" in resume
            ? { ...frame, d: { ...at(frame, "d"), resume: { ...resume, cursors: {} } } }
            : frame,
        ]
      },
    }),
  ],
  [
    "replay",
    "leaves out the first of the missed dispatches",
    () => ({
      received: (frame, line) => {
        if (isReady(frame, true, at(frame, "d"))) line.isReplaying = !line.isStream
        if (frame["t"] !== "announcement" || !line.isReplaying) return [frame]
        line.isReplaying = false
        return []
      },
    }),
  ],
  [
    "snapshot",
    "gives no true reason",
    () => ({
      received: (frame) => [
        at(frame, "d")["reason"] === "epoch" ? { ...frame, d: { ...at(frame, "d"), reason: "new" } } : frame,
      ],
    }),
  ],
  [
    "gap",
    "replays before it answers `sync`",
    () => ({
      sent: (frame, line) => {
        line.isReplaying = frame["t"] === "sync"
        return [frame]
      },
      received: (frame, line) => {
        if (line.isReplaying && frame["op"] === OP.reply) {
          line.kept = frame
          return []
        }
        if (line.kept === undefined || frame["t"] !== "announcement") return [frame]
        const kept = line.kept
        line.kept = undefined
        return [frame, kept]
      },
    }),
  ],
  ["once", "executes a repeated command again", forgetful],
  [
    "refusals",
    "closes the socket of a refused command",
    () => ({
      received: (frame, line) => {
        if (at(frame, "e")["code"] === "forbidden") line.close(4303)
        return [frame]
      },
    }),
  ],
  [
    "budgets",
    "refuses nothing",
    () => ({
      received: (frame) => [
        at(frame, "e")["code"] === "rate_limited" ? { op: OP.reply, id: frame["id"], ok: true, v: 1, d: {} } : frame,
      ],
    }),
  ],
  ["frames", "takes a frame of any length", () => ({ splits: true })],
  ["places", "keeps a sixth socket beside the others", () => ({ hiddenClose: 4305 })],
  ["tokens", "lets a wrong token in", credulous],
  ["revoked", "keeps a socket whose right was taken away", () => ({ hiddenClose: 4203 })],
  ["stream", "does not say that it has taken a frame", () => ({ status: 200 })],
  ["positions", "sends events without ids", () => ({ withoutIds: true })],
  ["last-event-id", "reads no position", () => ({ withoutHeader: "last-event-id" })],
]

/** Of a server that stops. */
export const CUTS_WITHOUT_DRAIN: Fault = { received: (frame) => (frame["op"] === OP.reconnect ? [] : [frame]) }
