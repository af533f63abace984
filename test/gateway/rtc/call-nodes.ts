/**
 * Nodes with the sockets of one event's calls, and the owner of the event: the real parts of both sides, with a road between them
 * that a test can cut. Requests and messages cross it as text.
 */
import { Effect } from "effect"
import { expect } from "vitest"
import type { CallReply, CallRequest } from "../../../src/actors/calls/call-request.ts"
import { Calls } from "../../../src/actors/calls/calls.ts"
import { memoryFeed } from "../../../src/actors/feed.ts"
import { NO_PHASE } from "../../../src/actors/state/state.ts"
import type { Timers } from "../../../src/clock/timers.ts"
import type { Connection } from "../../../src/gateway/connection/connection.ts"
import { beginLife } from "../../../src/gateway/connection/lifecycle.ts"
import { ParticipantStates } from "../../../src/gateway/connection/participant-states.ts"
import type { MeshOptions } from "../../../src/gateway/options.ts"
import { GATEWAY_DEFAULTS } from "../../../src/gateway/options.ts"
import { MeshCalls } from "../../../src/gateway/rtc/mesh-calls.ts"
import { Unavailable } from "../../../src/model/errors.ts"
import { Listeners } from "../../../src/model/listeners.ts"
import type { Modality } from "../../../src/model/modality.ts"
import type { Frame } from "../client.ts"
import { PICTURE } from "./call.ts"

const EVENT_ID = "event"

type Owned = "yes" | "no" | "silent"

const crossing = <T>(value: T): T => JSON.parse(JSON.stringify(value))

/** What its client was sent is in `frames`; a test changes `state` and `roomId`. */
export interface TestSocket {
  readonly connection: Connection & { state: string; roomId: string | null }
  readonly frames: Frame[]
  readonly join: (roomId: string, resume?: string, have?: object) => Frame
  /** `left` is called with the reply. */
  readonly leave: (left?: () => void) => void
  readonly signal: (to: string, data?: string) => Frame
}

export const openCallNodes = (
  timers: Timers,
  nodeNames: ReadonlyArray<string>,
  {
    modality,
    phaseId,
    mesh = {},
  }: { readonly modality: Modality; readonly phaseId: string; readonly mesh?: Partial<MeshOptions> },
) => {
  const facts = {
    phase: { ...NO_PHASE, id: phaseId, modality },
    participants: new ParticipantStates(),
    removed: new Set<string>(),
  }
  const whole = memoryFeed()
  const resets = new Listeners()
  let isCut = false
  let owned: Owned = "yes"
  let activations = 0
  const activate = (): Calls => {
    const isFirst = activations++ === 0
    return new Calls({
      eventId: EVENT_ID,
      timers,
      since: timers.elapsed(),
      tell: (node, message) => {
        if (!isCut) whole.tell(node, crossing(message))
      },
      server: null,
      mayBeRemembered: () => !isFirst,
    })
  }
  let calls = activate()
  const call = (_eventId: string, request: CallRequest): Effect.Effect<CallReply, Unavailable> =>
    Effect.suspend(() => {
      if (owned === "silent") return Effect.never
      return owned === "yes"
        ? Effect.succeed(crossing(calls.answer(crossing(request))))
        : Effect.fail(new Unavailable({ detail: "The event is being moved; try again.", retryAfterSeconds: 1 }))
    })
  const options = { ...GATEWAY_DEFAULTS, mesh: { ...GATEWAY_DEFAULTS.mesh, ...mesh } }
  const openNode = (node: string): MeshCalls =>
    new MeshCalls(
      {
        options,
        timers,
        node,
        media: { hasServer: false, tokenFor: () => expect.fail("no seat is minted"), basisOf: () => undefined },
        live: { call },
        feed: { ...whole, onReset: resets.subscribe },
        fork: (effect) => Effect.runFork(effect),
        telemetry: { log: { error: (fields: object) => expect.fail(JSON.stringify(fields)) } },
      },
      EVENT_ID,
      facts,
    )
  const nodes = new Map(nodeNames.map((node) => [node, openNode(node)]))
  let numbers = 0
  const nodeOf = (node: string): MeshCalls => nodes.get(node) ?? expect.fail(`no node ${node}`)
  const connect = (node: string, participantId: string, roomId: string | null = null): TestSocket => {
    const frames: Frame[] = []
    const identity = { ...beginLife(0).identity, participantId, name: participantId, role: "participant" } as const
    const connection = {
      number: ++numbers,
      identity,
      state: "open",
      roomId,
      buffered: 0,
      send: (text: string) => void frames.push(JSON.parse(text)),
    } as unknown as TestSocket["connection"]
    const answered = (ask: (reply: (answer: Frame) => void) => void): Frame => {
      let answer: Frame
      ask((given) => {
        answer = given
      })
      return answer
    }
    return {
      connection,
      frames,
      join: (callRoomId, resume, have = PICTURE) =>
        answered((reply) =>
          nodeOf(node).join(
            connection,
            {
              roomId: callRoomId,
              have: have as typeof PICTURE,
              ...(resume === undefined ? {} : { resume }),
            },
            reply,
          ),
        ),
      leave: (left = () => {}) => nodeOf(node).leave(connection, left),
      signal: (to, data = "v") =>
        answered((reply) => nodeOf(node).signal(connection, { to, kind: "offer", data, gen: 0 }, reply)),
    }
  }
  return {
    facts,
    nodeOf,
    connect,
    get owner(): Calls {
      return calls
    },
    /** Another node has the event; with `isTold: false` no gateway knows yet. */
    moveOwner: (isTold = true): void => {
      calls.stop()
      calls = activate()
      if (isTold) for (const node of nodes.values()) node.sayAgain()
    },
    /** Until it is owned again requests fail, or get no answer. */
    own: (given: Owned): void => {
      owned = given
    },
    /** The process ends without a word; the owner learns of it by itself. */
    killNode: (node: string): void => {
      nodeOf(node).stop()
      nodes.set(node, openNode(node))
      calls.forgetNode(node)
    },
    cut: (): void => {
      isCut = true
    },
    /** Both ends of the link are told, or the gateways before the owner has its end back. */
    restore: (isOwnerBack = true): void => {
      isCut = false
      if (isOwnerBack) calls.sendListsAgain()
      resets.notify()
    },
  }
}
