/**
 * Answers `op 3`: checks the frame, then asks the live event, or answers from the channel. Whatever is wrong with a command
 * is said in its reply; the socket stays.
 */
import { Cause, Effect, Result, Schema } from "effect"
import type { RosterQuery } from "../actors/protocol.ts"
import { isAnonymousAct } from "../identity/anonymous-budgets.ts"
import { revisedBy } from "../model/command-revisions.ts"
import { isStorable } from "../model/json.ts"
import { actingAs, type CommandName, can } from "../model/permissions.ts"
import { isStaff } from "../model/roles.ts"
import { type BudgetKind, budgetOf } from "./budget.ts"
import type { Channel } from "./channel.ts"
import type { Connection } from "./connection.ts"
import { envelopeOf, type LocalCommand } from "./envelopes.ts"
import { CLOSE } from "./protocol/close-codes.ts"
import { COMMANDS, type CommandData } from "./protocol/commands.ts"
import type { CommandFrame } from "./protocol/frames.ts"
import { OP } from "./protocol/op.ts"
import type { Refusal } from "./protocol/refusals.ts"
import { lacksRoom } from "./reaction-counts.ts"
import { refusalOf, refuse, refuseForNow } from "./refusal.ts"
import type { Surroundings } from "./surroundings.ts"

/** What a command came to: the reply's members. */
type Outcome =
  | { readonly v: number; readonly d: { readonly [field: string]: unknown }; readonly isDuplicate: boolean }
  | { readonly refusal: Refusal }

/** A command by its schema. */
interface Decoded {
  readonly t: CommandName
  readonly d: unknown
}

type Decode = (d: unknown) => Result.Result<unknown, Schema.SchemaError>

const DECODERS: ReadonlyMap<string, Decode> = new Map(
  Object.entries(COMMANDS).map(([t, schema]) => [
    t,
    Schema.decodeUnknownResult(schema as unknown as Schema.Codec<unknown, unknown>),
  ]),
)

const LOCAL: ReadonlySet<string> = new Set<LocalCommand>(["roster.list", "reaction.send", "leave", "sync"])
const ROSTER_PAGE = 50
/** A refusal for too many unanswered commands. */
const BUSY_RETRY_MS = 200

const reply = (connection: Connection, id: string, outcome: Outcome): void => {
  const body =
    "refusal" in outcome
      ? { ok: false, e: outcome.refusal }
      : { ok: true, v: outcome.v, d: outcome.d, ...(outcome.isDuplicate ? { dup: true } : {}) }
  connection.send(JSON.stringify({ op: OP.reply, id, ...body }))
}

export const refuseCommand = (connection: Connection, id: string, refusal: Refusal): void =>
  reply(connection, id, { refusal })

export class Commands {
  readonly #around: Surroundings

  constructor(around: Surroundings) {
    this.#around = around
  }

  /** Takes a command of an open connection. */
  receive(connection: Connection, channel: Channel, frame: CommandFrame): void {
    const refusal = this.#throttle(connection, channel)
    const decoded = refusal === undefined ? this.#decode(channel, frame) : { refusal }
    if ("refusal" in decoded) {
      reply(connection, frame.id, decoded)
      return
    }
    const { t, d } = decoded
    const early = this.#ration(connection, channel, decoded, frame.id)
    if (early !== undefined) {
      reply(connection, frame.id, { refusal: early })
      return
    }
    if (isLocal(t)) {
      this.#answerLocally(connection, channel, frame.id, t, d)
      return
    }
    const { participantId } = connection.identity
    const envelope = envelopeOf(t, d, frame, connection)
    this.#perform(
      connection,
      frame.id,
      this.#around.live.execute(channel.eventId, envelope).pipe(
        Effect.map(({ version, result, duplicate }) => {
          // Only what is rationed is asked for here; the live event knows the others.
          if (budgetOf(t) !== undefined) channel.recent.remember(participantId, frame.id, envelope.bodyHash, Date.now())
          return { v: version, d: result, isDuplicate: duplicate }
        }),
        Effect.catch((failure) => Effect.succeed({ refusal: refusalOf(failure) })),
      ),
    )
  }

  /** Every command counts, whatever becomes of it. */
  #throttle({ identity: { participantId, role }, inFlight }: Connection, channel: Channel): Refusal | undefined {
    const waitMs = channel.budgets.spend(participantId, "commands", isStaff(role), Date.now())
    if (waitMs > 0) return refuseForNow("rate_limited", "Too many commands.", waitMs)
    return inFlight >= this.#around.options.commandsInFlight
      ? refuseForNow("rate_limited", "Too many commands wait for an answer.", BUSY_RETRY_MS)
      : undefined
  }

  /** Some kinds are rationed besides; what is no command, or was done already, costs none of that. */
  #ration(connection: Connection, channel: Channel, { t, d }: Decoded, commandId: string): Refusal | undefined {
    const { participantId, role } = connection.identity
    const kind = budgetOf(t)
    if (kind === undefined || channel.recent.find(participantId, commandId) !== undefined) return undefined
    const waitMs = channel.budgets.spend(participantId, kind, isStaff(role), Date.now())
    if (waitMs > 0) return refuseForNow("rate_limited", `Too much of ${t}.`, waitMs)
    const acts = t === "reaction.send" ? ((d as CommandData<"reaction.send">).n ?? 1) : 1
    const laterMs = this.#spendByAddress(connection, channel, kind, acts)
    return laterMs > 0 ? refuseForNow("rate_limited", `Too much of ${t} from your address.`, laterMs) : undefined
  }

  /** Anonymous viewers share what their address may do: each of them costs but a request. */
  #spendByAddress({ address, identity }: Connection, { eventId }: Channel, kind: BudgetKind, acts: number): number {
    if (identity.kind !== "anonymous" || !isAnonymousAct(kind)) return 0
    return this.#around.anonymous.spend(kind, eventId, address, Date.now(), acts)
  }

  #decode(channel: Channel, { t, d, rev }: CommandFrame): Decoded | { readonly refusal: Refusal } {
    const decode = DECODERS.get(t)
    if (decode === undefined) return { refusal: refuse("unknown_command", "There is no such command.") }
    if (channel.hasEnded && !isLocal(t)) return { refusal: refuse("event_ended", "The event has ended.") }
    if (rev !== undefined && revisedBy(t as CommandName) === null) {
      return { refusal: refuse("bad_request", `What ${t} acts on has no revision: name no rev.`) }
    }
    if (!isStorable(d)) return { refusal: refuse("bad_request", "Text must not hold NUL or lone surrogates.") }
    const decoded = decode(d === undefined ? {} : d)
    return Result.isFailure(decoded)
      ? { refusal: refuse("bad_request", `Not a valid ${t}: ${decoded.failure.message.slice(0, 500)}`) }
      : { t: t as CommandName, d: decoded.success }
  }

  #answerLocally(connection: Connection, channel: Channel, id: string, t: LocalCommand, d: unknown): void {
    const permission = can(actingAs(connection.identity), channel.phase, t)
    if (permission !== "allowed") {
      reply(connection, id, { refusal: refuse(permission, `Your role does not allow ${t}.`) })
      return
    }
    const v = channel.version
    switch (t) {
      case "leave":
        reply(connection, id, { v, d: {}, isDuplicate: false })
        connection.close(CLOSE.left)
        return
      case "sync": {
        const { epoch, cursors } = d as CommandData<"sync">
        const resume = { epoch: epoch ?? channel.epoch, cursors }
        reply(connection, id, { v, d: { resumed: channel.canReplay(connection, resume) }, isDuplicate: false })
        channel.sync(connection, resume)
        return
      }
      case "reaction.send": {
        reply(connection, id, react(connection, channel, id, d as CommandData<"reaction.send">))
        return
      }
      case "roster.list":
        this.#perform(connection, id, this.#roster(channel, d as CommandData<"roster.list">))
    }
  }

  #roster(channel: Channel, d: CommandData<"roster.list">): Effect.Effect<Outcome> {
    const query: RosterQuery = { ...d, limit: d.limit ?? ROSTER_PAGE }
    return this.#around.live.roster(channel.eventId, query).pipe(
      Effect.map((page) => ({ v: channel.version, d: { ...page }, isDuplicate: false })),
      Effect.catch((failure) => Effect.succeed({ refusal: refusalOf(failure) })),
    )
  }

  /** Runs a command and replies, whatever becomes of it. */
  #perform(connection: Connection, id: string, command: Effect.Effect<Outcome>): void {
    const settle = (outcome: Outcome): void => {
      connection.inFlight--
      reply(connection, id, outcome)
    }
    connection.inFlight++
    this.#around.fork(
      command.pipe(
        Effect.catchCause((cause) => {
          this.#around.telemetry.log.error({ err: Cause.squash(cause), commandId: id }, "a command failed unexpectedly")
          return Effect.succeed<Outcome>({ refusal: refuse("internal_error", "The command failed unexpectedly.") })
        }),
        Effect.flatMap((outcome) => Effect.sync(() => settle(outcome))),
      ),
    )
  }
}

/** Counted by the event at its own pace and stored by nobody: a repeat is known here or not at all. */
const react = (
  connection: Connection,
  channel: Channel,
  id: string,
  { kind, n = 1 }: CommandData<"reaction.send">,
): Outcome => {
  const { participantId } = connection.identity
  const body = `${kind} ${n}`
  const known = channel.recent.find(participantId, id)
  if (known !== undefined && known !== body) {
    return { refusal: refuse("conflict", "This command id was used with another body.") }
  }
  if (known === undefined && lacksRoom(connection, channel.phase)) {
    return { refusal: refuse("conflict", "You are in no room now.") }
  }
  if (known === undefined) {
    channel.reactions.add(connection, kind, n)
    channel.recent.remember(participantId, id, body, Date.now())
  }
  return { v: channel.version, d: {}, isDuplicate: known !== undefined }
}

const isLocal = (t: string): t is LocalCommand => LOCAL.has(t)
