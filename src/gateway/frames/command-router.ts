/**
 * Answers `op 3`: checks the frame, then sends the command to the live event, or answers it in the gateway. Every error of a command is in
 * its reply; the socket stays open.
 */
import { Cause, Effect, Record, Result, Schema } from "effect"
import type { Answer } from "../../actors/commands.ts"
import type { RosterQuery } from "../../actors/protocol.ts"
import { isAnonymousAct } from "../../identity/callers/anonymous-budgets.ts"
import { hashSecret, newSecret } from "../../identity/secrets.ts"
import { ingestAddress } from "../../media/live/addresses.ts"
import { UNSTORABLE_TEXT, unstorableIn } from "../../model/json.ts"
import { isStaff } from "../../model/roles.ts"
import { faultsOf, faultText } from "../../model/schema-faults.ts"
import type { RateClass } from "../../protocol/command.ts"
import {
  COMMANDS,
  type CommandData,
  type CommandName,
  commandContract,
  type GatewayCommandName,
  isCommandName,
  isGatewayCommand,
  type ReplyData,
} from "../../protocol/contract.ts"
import { can, whyNot } from "../../protocol/permissions.ts"
import type { Refusal } from "../../protocol/refusals.ts"
import { actingAs } from "../../protocol/rule.ts"
import { CLOSE } from "../../protocol/wire/close-codes.ts"
import type { CommandFrame } from "../../protocol/wire/frames.ts"
import { OP } from "../../protocol/wire/op.ts"
import { findPhaseBroadcast } from "../../store/media/broadcasts.ts"
import type { SpanEnd } from "../../telemetry/tracing.ts"
import type { Connection } from "../connection/connection.ts"
import { refusal, refusalOf, refuseForNow } from "../connection/refusal.ts"
import type { Channel } from "../event/channel.ts"
import { lacksRoom } from "../event/reaction-counts.ts"
import { connectionGround } from "../grants/grounds.ts"
import type { GatewayServices } from "../services.ts"
import { envelopeOf } from "./envelopes.ts"

/** Outcome of a command: the members of the reply. `D`: the data of the reply. */
type Outcome<D = Answer["result"]> =
  | { readonly v: number; readonly d: D; readonly isDuplicate: boolean }
  | { readonly refusal: Refusal }
/** Outcome of a command answered by the gateway: its data is the reply of the command's contract. */
type OutcomeOf<T extends GatewayCommandName> = Outcome<ReplyData<T>>

/** A command with decoded data. */
interface Decoded {
  readonly t: CommandName
  readonly d: unknown
}

const SCHEMAS: { readonly [T in CommandName]: { readonly data: Schema.Decoder<unknown> } } = COMMANDS
const DECODERS = Record.map(SCHEMAS, ({ data }) => Schema.decodeUnknownResult(data))

/** Answers a command without the live event, by one call of `reply` or of `perform`. */
type LocalAnswer<T extends GatewayCommandName> = (given: {
  readonly connection: Connection
  readonly channel: Channel
  readonly id: string
  readonly d: CommandData<T>
  readonly reply: (outcome: OutcomeOf<T>) => void
  readonly perform: (command: Effect.Effect<OutcomeOf<T>>) => void
}) => void

const ROSTER_PAGE = 50
/** Retry delay of the refusal for too many unanswered commands. */
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

const outcomeSpan = (outcome: Outcome): SpanEnd =>
  "refusal" in outcome
    ? { attributes: { "gathercue.refusal": outcome.refusal.code } }
    : { attributes: { "gathercue.version": outcome.v, "gathercue.duplicate": outcome.isDuplicate } }

export class Commands {
  readonly #services: GatewayServices

  constructor(services: GatewayServices) {
    this.#services = services
  }

  /** Receives a command of an open connection. */
  receive(connection: Connection, channel: Channel, frame: CommandFrame): void {
    const { telemetry, timers } = this.#services
    telemetry.busiest.command(channel.eventId, timers.now())
    const refusal = this.#throttle(connection, channel, frame)
    const decoded = refusal === undefined ? this.#decode(channel, frame) : { refusal }
    if ("refusal" in decoded) {
      reply(connection, frame.id, decoded)
      return
    }
    const { t, d } = decoded
    const early = this.#limitRate(connection, channel, decoded, frame.id)
    if (early !== undefined) {
      reply(connection, frame.id, { refusal: early })
      return
    }
    if (isGatewayCommand(t)) {
      this.#answerLocally(connection, channel, frame.id, t, d)
      return
    }
    const envelope = envelopeOf(t, d, frame, connection)
    const given = {
      kind: "server",
      attributes: { "gathercue.event_id": channel.eventId, "gathercue.command": t },
    } as const
    this.#perform(
      connection,
      frame.id,
      this.#services.telemetry.tracing.root(
        `gateway ${t}`,
        given,
        this.#services.live.execute(channel.eventId, envelope).pipe(
          Effect.map(({ version, result, duplicate }) => {
            // Only rate-limited commands are remembered here; the live event remembers the others.
            if (commandContract(t).rate !== undefined) channel.memory.remember(connection, frame.id, envelope.bodyHash)
            return { v: version, d: result, isDuplicate: duplicate }
          }),
          Effect.catch((failure) => Effect.succeed({ refusal: refusalOf(failure) })),
        ),
        outcomeSpan,
      ),
    )
  }

  /** Counts every command, whatever its outcome. */
  #throttle(connection: Connection, channel: Channel, { t, d }: CommandFrame): Refusal | undefined {
    if (isCommandName(t) && commandContract(t).budget === "signals") {
      const waitMs = channel.mesh.spend(connection, Buffer.byteLength(JSON.stringify(d ?? {})))
      return waitMs > 0 ? refuseForNow("rate_limited", "Too many signals.", waitMs) : undefined
    }
    return this.#throttleCommands(connection, channel)
  }

  #throttleCommands({ identity, inFlight }: Connection, channel: Channel): Refusal | undefined {
    const { participantId, role } = identity
    const waitMs = channel.memory.budgets.spend(participantId, "commands", isStaff(role), this.#services.timers.now())
    if (waitMs > 0) return refuseForNow("rate_limited", "Too many commands.", waitMs)
    return inFlight >= this.#services.options.commandsInFlight
      ? refuseForNow("rate_limited", "Too many commands wait for an answer.", BUSY_RETRY_MS)
      : undefined
  }

  /** Applies the additional limit of some kinds of commands. Invalid commands and repeats do not count against it. */
  #limitRate(connection: Connection, channel: Channel, { t, d }: Decoded, commandId: string): Refusal | undefined {
    const { participantId, role } = connection.identity
    const kind = commandContract(t).rate
    if (kind === undefined || channel.memory.recent.find(participantId, commandId) !== undefined) return undefined
    const waitMs = channel.memory.budgets.spend(participantId, kind, isStaff(role), this.#services.timers.now())
    if (waitMs > 0) return refuseForNow("rate_limited", `Too much of ${t}.`, waitMs)
    const acts = t === "reaction.send" ? ((d as CommandData<"reaction.send">).n ?? 1) : 1
    const laterMs = this.#spendByAddress(connection, channel, kind, acts)
    return laterMs > 0 ? refuseForNow("rate_limited", `Too much of ${t} from your address.`, laterMs) : undefined
  }

  /** Applies the limits that anonymous viewers of one address share, because a new viewer costs only a request. */
  #spendByAddress({ address, identity }: Connection, { eventId }: Channel, kind: RateClass, acts: number): number {
    if (identity.kind !== "anonymous" || !isAnonymousAct(kind)) return 0
    return this.#services.anonymous.spend(kind, eventId, address, this.#services.timers.now(), acts)
  }

  #decode(channel: Channel, { t, d, rev }: CommandFrame): Decoded | { readonly refusal: Refusal } {
    if (!isCommandName(t))
      return {
        refusal: refusal(
          "unknown_command",
          `There is no command "${t.slice(0, 64)}": me.can has those that you may send.`,
        ),
      }
    if (channel.hasEnded && !isGatewayCommand(t)) return { refusal: refusal("event_ended", "The event has ended.") }
    if (rev !== undefined && commandContract(t).revises === undefined) {
      return { refusal: refusal("bad_request", `What ${t} acts on has no revision: name no rev.`) }
    }
    const unstorable = unstorableIn(d)
    if (unstorable !== undefined) {
      const fault = { path: unstorable, message: UNSTORABLE_TEXT }
      return { refusal: refusal("bad_request", faultText([fault], t).slice(0, 500)) }
    }
    const decoded = DECODERS[t](d === undefined ? {} : d)
    return Result.isFailure(decoded)
      ? { refusal: refusal("bad_request", faultText(faultsOf(decoded.failure.issue), t).slice(0, 500)) }
      : { t, d: decoded.success }
  }

  #answerLocally<T extends GatewayCommandName>(
    connection: Connection,
    channel: Channel,
    id: string,
    t: T,
    d: unknown,
  ): void {
    const permission = can(actingAs(connection.identity), channel.phase, t)
    if (permission !== "allowed") {
      reply(connection, id, { refusal: refusal(permission, whyNot(permission, t)) })
      return
    }
    const answer: LocalAnswer<T> = this.#answers[t]
    answer({
      connection,
      channel,
      id,
      d: d as CommandData<T>,
      reply: (outcome) => reply(connection, id, outcome),
      perform: (command) => this.#perform(connection, id, command),
    })
  }

  readonly #answers: { readonly [T in GatewayCommandName]: LocalAnswer<T> } = {
    leave: ({ connection, channel, reply }) => {
      reply({ v: channel.version, d: {}, isDuplicate: false })
      connection.close(CLOSE.left)
    },
    sync: ({ connection, channel, d: { epoch, cursors }, reply }) => {
      const resume = { epoch: epoch ?? channel.epoch, cursors }
      const resumed = channel.canReplay(connection, resume)
      reply({ v: channel.version, d: { resumed }, isDuplicate: false })
      channel.sync(connection, resume)
    },
    "reaction.send": ({ connection, channel, id, d, reply }) => reply(react(connection, channel, id, d)),
    "roster.list": ({ channel, d, perform }) => perform(this.#roster(channel, d)),
    "broadcast.ingest": ({ connection, channel, perform }) => perform(this.#ingest(connection, channel)),
    // Calls have their own limit of waiting commands, so these do not count as commands without a reply.
    "rtc.join": ({ connection, channel, d, reply }) =>
      channel.mesh.join(connection, d, (answer) => reply(answered(channel, answer))),
    "rtc.leave": ({ connection, channel, reply }) =>
      channel.mesh.leave(connection, (answer) => reply(answered(channel, answer))),
    "rtc.signal": ({ connection, channel, d, reply }) =>
      channel.mesh.signal(connection, d, (answer) => reply(answered(channel, answer))),
  }

  /** Issues a new address for every command, even a repeated one. */
  #ingest(connection: Connection, channel: Channel): Effect.Effect<OutcomeOf<"broadcast.ingest">> {
    const { database, broadcasts, options } = this.#services
    const token = newSecret()
    const ground = connectionGround(connection, "speaker")
    return Effect.gen(function* () {
      const broadcast = yield* database.run((sql) => findPhaseBroadcast(sql, channel.phase.id ?? ""))
      if (broadcast === undefined || ground === undefined)
        return { refusal: refusal("conflict", "The broadcast has not started.") }
      yield* broadcasts.giveIngest(broadcast, ground, hashSecret(token))
      return { v: channel.version, d: ingestAddress(options.publicUrl, token), isDuplicate: false }
    }).pipe(Effect.catch((failure) => Effect.succeed({ refusal: refusalOf(failure) })))
  }

  #roster(channel: Channel, d: CommandData<"roster.list">): Effect.Effect<OutcomeOf<"roster.list">> {
    const query: RosterQuery = { ...d, limit: d.limit ?? ROSTER_PAGE }
    return this.#services.live.readRoster(channel.eventId, query).pipe(
      Effect.map((page) => ({ v: channel.version, d: { ...page }, isDuplicate: false })),
      Effect.catch((failure) => Effect.succeed({ refusal: refusalOf(failure) })),
    )
  }

  /** Runs a command and replies, whatever the outcome. */
  #perform(connection: Connection, id: string, command: Effect.Effect<Outcome>): void {
    const settle = (outcome: Outcome): void => {
      connection.inFlight--
      reply(connection, id, outcome)
    }
    connection.inFlight++
    this.#services.fork(
      command.pipe(
        Effect.catchCause((cause) => {
          this.#services.telemetry.log.error(
            { err: Cause.squash(cause), commandId: id },
            "a command failed unexpectedly",
          )
          return Effect.succeed<Outcome>({ refusal: refusal("internal_error", "The command failed unexpectedly.") })
        }),
        Effect.flatMap((outcome) => Effect.sync(() => settle(outcome))),
      ),
    )
  }
}

/** Outcome of a call command. A repeat is executed again: signals are not remembered. */
const answered = <D>(
  { version }: Channel,
  answer: { readonly d: D } | { readonly refusal: Refusal },
): { readonly v: number; readonly d: D; readonly isDuplicate: false } | { readonly refusal: Refusal } =>
  "refusal" in answer ? answer : { v: version, d: answer.d, isDuplicate: false }

/** The event counts reactions in batches and does not store them: only the gateway can detect a repeat. */
const react = (
  connection: Connection,
  channel: Channel,
  id: string,
  { kind, n = 1 }: CommandData<"reaction.send">,
): OutcomeOf<"reaction.send"> => {
  const { participantId } = connection.identity
  const body = `${kind} ${n}`
  const known = channel.memory.recent.find(participantId, id)
  if (known !== undefined && known !== body) {
    return { refusal: refusal("conflict", "This command id was used with another body.") }
  }
  if (known === undefined && lacksRoom(connection, channel.phase)) {
    return { refusal: refusal("conflict", "You are in no room now.") }
  }
  if (known === undefined) {
    channel.reactions.add(connection, kind, n)
    channel.memory.remember(connection, id, body)
  }
  return { v: channel.version, d: {}, isDuplicate: known !== undefined }
}
