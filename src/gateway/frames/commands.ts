/**
 * Commands of any sender, by a socket or by an HTTP request: the same checks, budgets, permissions and execution. The live event decides
 * most commands; the gateway answers the others here, and those about a socket in `command-router.ts`.
 */
import { Effect, Record, Result, Schema } from "effect"
import type { Answer, Envelope } from "../../actors/commands.ts"
import { isAnonymousAct } from "../../identity/callers/anonymous-budgets.ts"
import { UNSTORABLE_TEXT, unstorableIn } from "../../model/json.ts"
import { isStaff } from "../../model/roles.ts"
import { type Fault, faultsOf, faultText } from "../../model/schema-faults.ts"
import type { RateClass } from "../../protocol/command.ts"
import {
  COMMANDS,
  type CommandData,
  type CommandName,
  commandContract,
  type GatewayCommandName,
  isCommandName,
  isGatewayCommand,
  isLiveCommand,
  type LiveCommandName,
} from "../../protocol/contract.ts"
import type { Refusal } from "../../protocol/refusals.ts"
import type { CommandFrame } from "../../protocol/wire/frames.ts"
import type { SpanEnd } from "../../telemetry/tracing.ts"
import { refusal, refusalOf, refuseForNow } from "../connection/refusal.ts"
import type { GatewayServices } from "../services.ts"
import { envelopeOf } from "./envelopes.ts"
import { LocalAnswers } from "./local-answers.ts"
import type { Accepted, EventNow, NotAccepted, ReplyOutcome, Sender } from "./sender.ts"

const SCHEMAS: { readonly [T in CommandName]: { readonly data: Schema.Decoder<unknown> } } = COMMANDS
const DECODERS = Record.map(SCHEMAS, ({ data }) => Schema.decodeUnknownResult(data))

const outcomeSpan = (outcome: ReplyOutcome): SpanEnd =>
  "refusal" in outcome
    ? { attributes: { "gathercue.refusal": outcome.refusal.code } }
    : { attributes: { "gathercue.version": outcome.v, "gathercue.duplicate": outcome.isDuplicate } }

const outcomeOf = ({ version, result, duplicate }: Answer): ReplyOutcome => ({
  v: version,
  d: result,
  isDuplicate: duplicate,
})

const badData = (t: CommandName, faults: ReadonlyArray<Fault>): NotAccepted => ({
  refusal: refusal("bad_request", faultText(faults, t).slice(0, 500)),
  faults,
})

export class Commands {
  readonly #services: GatewayServices
  readonly #local: LocalAnswers

  constructor(services: GatewayServices) {
    this.#services = services
    this.#local = new LocalAnswers(services)
  }

  /** Takes one command from the sender's budget for all commands, whatever its outcome. */
  spend({ identity: { participantId, role } }: Sender, { memory }: Pick<EventNow, "memory">): Refusal | undefined {
    const waitMs = memory.budgets.spend(participantId, "commands", isStaff(role), this.#services.timers.now())
    return waitMs > 0 ? refuseForNow("rate_limited", "Too many commands.", waitMs) : undefined
  }

  /** Decodes the command and takes it from the budget of its kind, of which a dry run takes nothing. */
  accept(
    sender: Sender,
    event: Pick<EventNow, "eventId" | "hasEnded" | "memory">,
    frame: CommandFrame,
    isDryRun = false,
  ): Accepted | NotAccepted {
    const decoded = this.#decode(event, frame)
    if ("refusal" in decoded) return decoded
    const early = this.#limitRate(sender, event, decoded, isDryRun)
    return early === undefined ? decoded : { refusal: early }
  }

  /** The outcome of a command that needs no connection, or the effect that succeeds with it. */
  outcome(sender: Sender, event: EventNow, accepted: Accepted): ReplyOutcome | Effect.Effect<ReplyOutcome> {
    if (isOfLiveEvent(accepted)) return this.#execute(sender, event, accepted)
    return isAnsweredHere(accepted) ? this.#local.answer(sender, event, accepted) : needsConnection(accepted.t)
  }

  #execute(sender: Sender, event: EventNow, accepted: OfLiveEvent): Effect.Effect<ReplyOutcome> {
    const { eventId } = event
    const given = {
      kind: "server",
      attributes: { "gathercue.event_id": eventId, "gathercue.command": accepted.t },
    } as const
    const envelope = this.#envelopeOf(sender, accepted)
    return this.#services.telemetry.tracing.root(
      `gateway ${accepted.t}`,
      given,
      this.#services.live.execute(eventId, envelope).pipe(
        Effect.map((answer) => {
          this.#remember(sender, event, accepted, envelope)
          return outcomeOf(answer)
        }),
        Effect.catch((failure) => Effect.succeed({ refusal: refusalOf(failure) })),
      ),
      outcomeSpan,
    )
  }

  /** Executes commands of the live event in one turn, each for itself. */
  executeAll(
    sender: Sender,
    event: Pick<EventNow, "eventId" | "memory">,
    accepted: ReadonlyArray<OfLiveEvent>,
  ): Effect.Effect<ReadonlyArray<ReplyOutcome>> {
    const envelopes = accepted.map((one) => this.#envelopeOf(sender, one))
    return this.#services.live.executeAll(event.eventId, envelopes).pipe(
      Effect.map((settled) =>
        settled.map((one, index): ReplyOutcome => {
          if ("_tag" in one) return { refusal: refusalOf(one) }
          this.#remember(sender, event, accepted[index], envelopes[index])
          return outcomeOf(one)
        }),
      ),
      Effect.catch((failure) => Effect.succeed(accepted.map(() => ({ refusal: refusalOf(failure) })))),
    )
  }

  /** Executes all of these commands of the live event in one commit, or none; then the result has the refusal and its index. */
  executeTogether(
    sender: Sender,
    event: Pick<EventNow, "eventId" | "memory">,
    accepted: ReadonlyArray<OfLiveEvent>,
  ): Effect.Effect<ReadonlyArray<ReplyOutcome> | { readonly index: number | undefined; readonly refusal: Refusal }> {
    const envelopes = accepted.map((one) => this.#envelopeOf(sender, one))
    return this.#services.live.executeTogether(event.eventId, { envelopes }).pipe(
      Effect.map((together) => {
        if ("refused" in together) return { index: together.index, refusal: refusalOf(together.refused) }
        for (const [index, one] of accepted.entries()) this.#remember(sender, event, one, envelopes[index])
        return together.answers.map(outcomeOf)
      }),
      Effect.catch((failure) => Effect.succeed({ index: undefined, refusal: refusalOf(failure) })),
    )
  }

  /** The outcome that a command of the live event would have now; nothing is executed. */
  rehearse(sender: Sender, { eventId }: Pick<EventNow, "eventId">, accepted: OfLiveEvent): Effect.Effect<ReplyOutcome> {
    return this.#services.live.rehearse(eventId, this.#envelopeOf(sender, accepted)).pipe(
      Effect.map(outcomeOf),
      Effect.catch((failure) => Effect.succeed({ refusal: refusalOf(failure) })),
    )
  }

  #envelopeOf(sender: Sender, { t, d, frame }: OfLiveEvent): Envelope {
    return envelopeOf(t, d, frame, sender)
  }

  /** Only rate-limited commands are remembered here; the live event remembers the others. */
  #remember(
    { identity }: Sender,
    { memory }: Pick<EventNow, "memory">,
    accepted: Accepted | undefined,
    envelope: Envelope | undefined,
  ): void {
    if (accepted === undefined || envelope === undefined || commandContract(accepted.t).rate === undefined) return
    memory.remember(identity, accepted.frame.id, envelope.bodyHash)
  }

  /** Applies the additional limit of some kinds of commands. Invalid commands and repeats do not count against it. */
  #limitRate(
    sender: Sender,
    event: Pick<EventNow, "eventId" | "memory">,
    { t, d, frame }: Accepted,
    isDryRun: boolean,
  ): Refusal | undefined {
    const { participantId, role } = sender.identity
    const kind = commandContract(t).rate
    if (kind === undefined || event.memory.recent.find(participantId, frame.id) !== undefined) return undefined
    const count = isDryRun ? "waitFor" : "spend"
    const waitMs = event.memory.budgets[count](participantId, kind, isStaff(role), this.#services.timers.now())
    if (waitMs > 0) return refuseForNow("rate_limited", `Too much of ${t}.`, waitMs)
    if (isDryRun) return undefined
    const acts = t === "reaction.send" ? ((d as CommandData<"reaction.send">).n ?? 1) : 1
    const laterMs = this.#spendByAddress(sender, event.eventId, kind, acts)
    return laterMs > 0 ? refuseForNow("rate_limited", `Too much of ${t} from your address.`, laterMs) : undefined
  }

  /** Applies the limits that anonymous viewers of one address share, because a new viewer costs only a request. */
  #spendByAddress({ address, identity }: Sender, eventId: string, kind: RateClass, acts: number): number {
    if (identity.kind !== "anonymous" || !isAnonymousAct(kind)) return 0
    return this.#services.anonymous.spend(kind, eventId, address, this.#services.timers.now(), acts)
  }

  #decode({ hasEnded }: Pick<EventNow, "hasEnded">, frame: CommandFrame): Accepted | NotAccepted {
    const { t, d, rev } = frame
    if (!isCommandName(t))
      return {
        refusal: refusal(
          "unknown_command",
          `There is no command "${t.slice(0, 64)}": me.can has those that you may send.`,
        ),
      }
    if (hasEnded && isLiveCommand(t)) return { refusal: refusal("event_ended", "The event has ended.") }
    if (rev !== undefined && commandContract(t).revises === undefined) {
      return { refusal: refusal("bad_request", `What ${t} acts on has no revision: name no rev.`) }
    }
    const unstorable = unstorableIn(d)
    if (unstorable !== undefined) return badData(t, [{ path: unstorable, message: UNSTORABLE_TEXT }])
    const decoded = DECODERS[t](d === undefined ? {} : d)
    return Result.isFailure(decoded) ? badData(t, faultsOf(decoded.failure.issue)) : { t, d: decoded.success, frame }
  }
}

/** A command of the live event. */
export type OfLiveEvent = Accepted & { readonly t: LiveCommandName }

export const isOfLiveEvent = (accepted: Accepted): accepted is OfLiveEvent => isLiveCommand(accepted.t)

const isAnsweredHere = (accepted: Accepted): accepted is Accepted & { readonly t: GatewayCommandName } =>
  isGatewayCommand(accepted.t)

const needsConnection = (t: CommandName): ReplyOutcome => ({
  refusal: refusal("bad_request", `${t} is about a connection: send it on a socket of the gateway.`),
})
