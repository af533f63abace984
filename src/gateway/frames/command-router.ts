/**
 * Answers `op 3`: checks the frame, then sends the command to the live event, or answers it in the gateway. Every error of a command is in
 * its reply; the socket stays open.
 */
import { Cause, Effect } from "effect"
import {
  type CommandData,
  type ConnectionCommandName,
  commandContract,
  isCommandName,
  isConnectionCommand,
  type ReplyData,
} from "../../protocol/contract.ts"
import { can, whyNot } from "../../protocol/permissions.ts"
import type { Refusal } from "../../protocol/refusals.ts"
import { actingAs } from "../../protocol/rule.ts"
import { CLOSE } from "../../protocol/wire/close-codes.ts"
import type { CommandFrame } from "../../protocol/wire/frames.ts"
import { OP } from "../../protocol/wire/op.ts"
import type { Connection } from "../connection/connection.ts"
import { refusal, refuseForNow } from "../connection/refusal.ts"
import type { Channel } from "../event/channel.ts"
import type { GatewayServices } from "../services.ts"
import type { Commands } from "./commands.ts"
import type { ReplyOutcome } from "./sender.ts"

/** Outcome of a command about a connection: its data is the reply of the command's contract. */
type OutcomeOf<T extends ConnectionCommandName> = ReplyOutcome<ReplyData<T>>

/** Answers a command about the connection that sent it, by one call of `reply`. */
type OwnAnswer<T extends ConnectionCommandName> = (given: {
  readonly connection: Connection
  readonly channel: Channel
  readonly d: CommandData<T>
  readonly reply: (outcome: OutcomeOf<T>) => void
}) => void

/** Retry delay of the refusal for too many unanswered commands. */
const BUSY_RETRY_MS = 200

const reply = (connection: Connection, id: string, outcome: ReplyOutcome): void => {
  const body =
    "refusal" in outcome
      ? { ok: false, e: outcome.refusal }
      : { ok: true, v: outcome.v, d: outcome.d, ...(outcome.isDuplicate ? { dup: true } : {}) }
  connection.send(JSON.stringify({ op: OP.reply, id, ...body }))
}

export const refuseCommand = (connection: Connection, id: string, refusal: Refusal): void =>
  reply(connection, id, { refusal })

export class CommandRouter {
  readonly #services: GatewayServices
  readonly #commands: Commands

  constructor(services: GatewayServices, commands: Commands) {
    this.#services = services
    this.#commands = commands
  }

  /** Receives a command of an open connection. */
  receive(connection: Connection, channel: Channel, frame: CommandFrame): void {
    const { telemetry, timers } = this.#services
    telemetry.busiest.command(channel.eventId, timers.now())
    const refusal = this.#throttle(connection, channel, frame)
    const accepted = refusal === undefined ? this.#commands.accept(connection, channel, frame) : { refusal }
    if ("refusal" in accepted) {
      reply(connection, frame.id, accepted)
      return
    }
    const { t, d } = accepted
    if (isConnectionCommand(t)) {
      this.#answer(connection, channel, frame.id, t, d)
      return
    }
    const outcome = this.#commands.outcome(connection, channel, accepted)
    if (Effect.isEffect(outcome)) this.#perform(connection, frame.id, outcome)
    else reply(connection, frame.id, outcome)
  }

  /** Counts every command, whatever its outcome. */
  #throttle(connection: Connection, channel: Channel, { t, d }: CommandFrame): Refusal | undefined {
    if (isCommandName(t) && commandContract(t).budget === "signals") {
      const waitMs = channel.rights.mesh.spend(connection, Buffer.byteLength(JSON.stringify(d ?? {})))
      return waitMs > 0 ? refuseForNow("rate_limited", "Too many signals.", waitMs) : undefined
    }
    const early = this.#commands.spend(connection, channel)
    if (early !== undefined) return early
    return connection.inFlight >= this.#services.options.commandsInFlight
      ? refuseForNow("rate_limited", "Too many commands wait for an answer.", BUSY_RETRY_MS)
      : undefined
  }

  #answer<T extends ConnectionCommandName>(
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
    const answer: OwnAnswer<T> = this.#answers[t]
    answer({ connection, channel, d: d as CommandData<T>, reply: (outcome) => reply(connection, id, outcome) })
  }

  readonly #answers: { readonly [T in ConnectionCommandName]: OwnAnswer<T> } = {
    leave: ({ connection, channel, reply }) => {
      reply({ v: channel.version, d: {}, isDuplicate: false })
      connection.close(CLOSE.left)
    },
    sync: ({ connection, channel, d: { epoch, cursors }, reply }) => {
      const resume = { epoch: epoch ?? channel.epoch, cursors }
      const resumed = channel.sync.canReplay(connection, resume)
      reply({ v: channel.version, d: { resumed }, isDuplicate: false })
      channel.sync.makeReady({ connection, resume, reason: "gap" })
    },
    // Calls have their own limit of waiting commands, so these do not count as commands without a reply.
    "rtc.join": ({ connection, channel, d, reply }) =>
      channel.rights.mesh.join(connection, d, (answer) => reply(answered(channel, answer))),
    "rtc.leave": ({ connection, channel, reply }) =>
      channel.rights.mesh.leave(connection, (answer) => reply(answered(channel, answer))),
    "rtc.mute": ({ connection, channel, d, reply }) =>
      channel.rights.mesh.mute(connection, d, (answer) => reply(answered(channel, answer))),
    "rtc.signal": ({ connection, channel, d, reply }) =>
      channel.rights.mesh.signal(connection, d, (answer) => reply(answered(channel, answer))),
  }

  /** Runs a command and replies, whatever the outcome. */
  #perform(connection: Connection, id: string, command: Effect.Effect<ReplyOutcome>): void {
    const settle = (outcome: ReplyOutcome): void => {
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
          return Effect.succeed<ReplyOutcome>({
            refusal: refusal("internal_error", "The command failed unexpectedly."),
          })
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
