/** The live event over HTTP: commands by the gateway's path, and the state that hosts see. */
import { createHash } from "node:crypto"
import { Clock, Effect } from "effect"
import { LiveEvents } from "../../../actors/live-events.ts"
import { ID_USED_BEFORE } from "../../../actors/runtime/executor.ts"
import { hostState } from "../../../gateway/recovery/ready.ts"
import { GatewayDoor } from "../../../gateway/requests/door.ts"
import type { BatchRefused, RequestOutcome } from "../../../gateway/requests/request-commands.ts"
import { LiveBroadcasts } from "../../../media/placed/live-broadcasts.ts"
import { BadRequest, CommandRefused, type Failure, IdempotencyKeyReused } from "../../../model/errors.ts"
import { newId } from "../../../model/ids.ts"
import { acceptedRoles } from "../../../model/modality.ts"
import { COMMANDS, isCommandName } from "../../../protocol/contract.ts"
import type { RoomView } from "../../../protocol/messages/breakouts.ts"
import { STAFF } from "../../../protocol/rule.ts"
import type { CommandFrame } from "../../../protocol/wire/frames.ts"
import { OP } from "../../../protocol/wire/op.ts"
import type { AnyCommand, CommandOutcome, Live } from "../../contract/events/live.ts"
import { DryRun, type Handlers, Reply, type Scopes } from "../../requests/call.ts"
import { CommandKey } from "../../requests/command-key.ts"
import { asCallers } from "../../requests/media/addresses.ts"
import { pageReply, pageRequestBy } from "../../requests/paging.ts"
import { pointerTo } from "../../transport/request-body.ts"

type Scope = Scopes["liveEvent"]

const LONGEST_ID = 64

/** The id of a command that names none: the caller's `Idempotency-Key`, or one that derives from it. */
const idBy = (key: string | undefined, index: number | null): string => {
  if (key === undefined) return newId()
  if (index === null && key.length <= LONGEST_ID) return key
  return createHash("sha256")
    .update(`${index ?? ""} ${key}`)
    .digest("base64url")
}

const frameOf = ({ id, t, d, rev }: AnyCommand, otherwise: string): CommandFrame => ({
  op: OP.command,
  id: id ?? otherwise,
  t,
  ...(d === undefined ? {} : { d }),
  ...(rev === undefined ? {} : { rev }),
})

type Refused = Extract<RequestOutcome | BatchRefused, { readonly refusal: unknown }>

/** `at` is the path of the refused command in the body, null when the refusal is of no single command. */
const failureOf = (refused: Refused, at: ReadonlyArray<string | number> | null, { event }: Scope): Failure => {
  const { code, message: detail, retryAfterMs, current } = refused.refusal
  const faults = ("faults" in refused ? refused.faults : undefined) ?? []
  const within = faults.map(({ path, message }) => ({ path: ["d", ...path.map(String)], message }))
  const told = within.length === 0 && at !== null && at.length > 0 ? [{ path: [], message: detail }] : within
  const errors = told.map(({ path, message }) => ({
    pointer: pointerTo([...(at ?? []).map(String), ...path]),
    detail: message,
  }))
  return new CommandRefused({
    code,
    detail,
    ...(errors.length === 0 ? {} : { errors }),
    ...(retryAfterMs === undefined ? {} : { retryAfterSeconds: Math.ceil(retryAfterMs / 1000) }),
    ...(current === undefined ? {} : { current }),
    ...(code === "role_not_on_event"
      ? { acceptedRoles: acceptedRoles(event.phases.map(({ modality }) => modality)) }
      : {}),
  })
}

/** Acts that only staff may do are logged; what participants do at an event is not. */
const isOfStaff = ({ t }: Pick<CommandFrame, "t">): boolean =>
  isCommandName(t) && Object.values(COMMANDS[t].allowed).every((roles) => roles.every((role) => STAFF.includes(role)))

const targetsOf = (frames: ReadonlyArray<CommandFrame>, { event }: Scope): ReadonlyArray<string> =>
  frames.some(isOfStaff) ? [event.id] : []

/** The body with the caller's own addresses of a private broadcast. */
const personal = <Body>(body: Body, { event }: Scope) =>
  Effect.gen(function* () {
    const text = JSON.stringify(body)
    const own = yield* asCallers(text, event.id, event.workspaceId)
    return own === null || own === text ? body : (JSON.parse(own) as Body)
  })

const doneOf = ({ v, d, isDuplicate }: Extract<RequestOutcome, { readonly v: number }>) => ({
  v,
  d,
  ...(isDuplicate ? { dup: true } : {}),
})

const outcomeOf = (id: string, answered: RequestOutcome): CommandOutcome =>
  "refusal" in answered ? { id, ok: false, e: answered.refusal } : { id, ok: true, ...doneOf(answered) }

/** An id stands for one command of a batch. */
const repeatedId = (frames: ReadonlyArray<CommandFrame>): BadRequest | undefined => {
  const ids = frames.map(({ id }) => id)
  const index = ids.findIndex((id, at) => ids.indexOf(id) < at)
  return index === -1
    ? undefined
    : new BadRequest({
        detail: "commands: two have the same id.",
        errors: [{ pointer: `#/commands/${index}/id`, detail: "is the id of an earlier command" }],
      })
}

const encodeIndex = (index: number): string => Buffer.from(`${index}`).toString("base64url")
const decodeIndex = (cursor: string) => {
  const text = Buffer.from(cursor, "base64url").toString("utf8")
  return /^\d{1,6}$/.test(text) ? { createdAt: "1970-01-01T00:00:00.000Z", id: text } : undefined
}
const decodeRosterCursor = (cursor: string) => {
  const text = Buffer.from(cursor, "base64url").toString("utf8")
  const [createdAt = "", id = "", ...rest] = text.split(" ")
  return /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(createdAt) && id !== "" && rest.length === 0 ? { createdAt, id } : undefined
}

const snapshotOf = (eventId: string) =>
  Effect.flatMap(LiveEvents, (live) => Effect.map(live.read(eventId, [], true), ({ snapshot }) => snapshot))

export const live = {
  sendCommand: {
    access: "liveEvent",
    handle: ({ payload, scope }) =>
      Effect.gen(function* () {
        const { send, rehearse } = yield* (yield* GatewayDoor).inside
        const key = (yield* CommandKey)?.key
        const frame = frameOf(payload, idBy(key, null))
        const isDry = yield* DryRun
        const [answered] = isDry ? [yield* rehearse(scope.visitor, frame)] : yield* send(scope.visitor, [frame])
        if (answered === undefined) return yield* Effect.die(new Error("a command without an answer"))
        if ("refusal" in answered) {
          const isReused = payload.id === undefined && answered.refusal.message === ID_USED_BEFORE
          return yield* isReused ? new IdempotencyKeyReused() : failureOf(answered, [], scope)
        }
        return new Reply(yield* personal(doneOf(answered), scope), { targets: targetsOf([frame], scope) })
      }),
  },
  sendCommands: {
    access: "liveEvent",
    handle: ({ payload: { commands, atomic = false }, scope }) =>
      Effect.gen(function* () {
        const { send, sendTogether } = yield* (yield* GatewayDoor).inside
        const key = (yield* CommandKey)?.key
        const frames = commands.map((command, index) => frameOf(command, idBy(key, index)))
        const repeated = repeatedId(frames)
        if (repeated !== undefined) return yield* repeated
        const answered = yield* atomic ? sendTogether(scope.visitor, frames) : send(scope.visitor, frames)
        if ("refusal" in answered) {
          const { index } = answered
          return yield* failureOf(answered, index === undefined ? null : ["commands", index], scope)
        }
        const outcomes = answered.map((one, index) => outcomeOf(frames[index]?.id ?? "", one))
        const done = frames.filter((_, index) => outcomes[index]?.ok)
        return new Reply(yield* personal({ outcomes }, scope), { targets: targetsOf(done, scope) })
      }),
  },
  getLiveState: {
    access: "event",
    handle: ({ scope: { event } }) =>
      Effect.gen(function* () {
        const snapshot = yield* snapshotOf(event.id)
        const encoder = (yield* LiveBroadcasts).encoderOf(event.id) ?? null
        const text = hostState(snapshot, yield* Clock.currentTimeMillis, encoder)
        const content = (yield* asCallers(text, event.id, event.workspaceId)) ?? text
        return new Reply({} as never, { text: { contentType: "application/json", content } })
      }),
  },
  listParticipants: {
    access: "event",
    handle: (call) =>
      Effect.gen(function* () {
        const { role, roomId, q } = call.query
        const { limit, after } = yield* pageRequestBy(call.query, decodeRosterCursor)
        const live = yield* LiveEvents
        const page = yield* live.readRoster(call.scope.event.id, {
          limit,
          ...(role === undefined ? {} : { role }),
          ...(roomId === undefined ? {} : { roomId }),
          ...(q === undefined ? {} : { query: q }),
          ...(after === null ? {} : { cursor: `${after.createdAt} ${after.id}` }),
        })
        const nextCursor = page.nextCursor === null ? null : Buffer.from(page.nextCursor).toString("base64url")
        const { participants } = page
        return pageReply(call, { rows: participants, nextCursor }, { participants, nextCursor })
      }),
  },
  listRooms: {
    access: "event",
    handle: (call) =>
      Effect.gen(function* () {
        const { limit, after } = yield* pageRequestBy(call.query, decodeIndex)
        const { everyone } = yield* snapshotOf(call.scope.event.id)
        const all = (everyone["rooms"] ?? []) as ReadonlyArray<RoomView>
        const from = after === null ? 0 : Number(after.id)
        const rooms = all.slice(from, from + limit)
        const nextCursor = from + limit < all.length ? encodeIndex(from + limit) : null
        return pageReply(call, { rows: rooms, nextCursor }, { rooms, nextCursor })
      }),
  },
} satisfies Handlers<typeof Live>
