/**
 * Sessions of event streams across several nodes: a frame that reaches another node than its stream is passed on over the link. A frame may
 * be lost with its node, or taken without an answer; commands are repeated under the same id.
 */
import { Effect, Layer } from "effect"
import { currentTimers } from "../../clock/timers.ts"
import type { KeyRing } from "../../crypto/secret-key.ts"
import { NO_STREAM, type PassFrame, StreamSessions, streamSessionsHere } from "../../identity/stream-sessions.ts"
import { type Unauthorized, Unavailable } from "../../model/errors.ts"
import { newId } from "../../model/ids.ts"
import { NodeLink } from "./node-link.ts"

const PASSED = "streams.passed"
const TAKEN = "streams.taken"
const TAKEN_WITHIN_MS = 2000
/** Most frames that wait for an answer. */
const MOST_OPEN = 10_000

interface Passed {
  readonly ask: string
  /** Place of the node that asks. */
  readonly from: string
  /** Hash of the session's secret. */
  readonly hash: string
  readonly frame: string
}

interface Taken {
  readonly ask: string
  readonly isTaken: boolean
}

const NO_ANSWER = new Unavailable({ detail: "The node of the stream does not answer.", retryAfterSeconds: 1 })
const TOO_MANY = new Unavailable({ detail: "Too many frames wait for other nodes.", retryAfterSeconds: 1 })

/** `keys`: the same on all nodes. */
export const clusterStreamsLayer = (keys: KeyRing): Layer.Layer<StreamSessions, never, NodeLink> =>
  Layer.effect(
    StreamSessions,
    Effect.gen(function* () {
      const link = yield* NodeLink
      const timers = yield* currentTimers
      const { place, begin, passHere, find } = streamSessionsHere(keys)
      const open = new Map<string, (isTaken: boolean) => void>()

      link.subscribe(`${PASSED}.${place}`, (text) => {
        const { ask, from, hash, frame } = JSON.parse(text) as Passed
        const answer: Taken = { ask, isTaken: passHere(hash, Buffer.from(frame)) }
        link.publish(`${TAKEN}.${from}`, JSON.stringify(answer))
      })
      link.subscribe(`${TAKEN}.${place}`, (text) => {
        const { ask, isTaken } = JSON.parse(text) as Taken
        open.get(ask)?.(isTaken)
      })

      const passOn =
        (to: string, hash: string): PassFrame =>
        (frame) =>
          Effect.callback((resume) => {
            if (open.size >= MOST_OPEN) return resume(Effect.fail(TOO_MANY))
            const ask = newId()
            const settle = (outcome: Effect.Effect<void, Unauthorized | Unavailable>): void => {
              cancel()
              open.delete(ask)
              resume(outcome)
            }
            const cancel = timers.after(TAKEN_WITHIN_MS, () => settle(Effect.fail(NO_ANSWER)))
            open.set(ask, (isTaken) => settle(isTaken ? Effect.void : Effect.fail(NO_STREAM)))
            const passed: Passed = { ask, from: place, hash, frame: Buffer.from(frame).toString() }
            return link.publish(`${PASSED}.${to}`, JSON.stringify(passed))
          })

      return { begin, find: find(passOn) }
    }),
  )
