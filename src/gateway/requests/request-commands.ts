/**
 * Commands that come by HTTP requests. They pass the checks of a socket's commands (`frames/commands.ts`) and draw on the same budgets. A
 * request opens no channel: what the gateway answers itself is judged by the channel of the event if a socket has opened it, and else by
 * one reading of the live event.
 */
import { Cause, Effect } from "effect"
import type { LiveSnapshot } from "../../actors/protocol.ts"
import type { NotFound, Unavailable } from "../../model/errors.ts"
import { roomStream } from "../../model/live/streams.ts"
import { isKeyParticipant } from "../../model/participants.ts"
import { commandContract } from "../../protocol/contract.ts"
import type { CommandFrame } from "../../protocol/wire/frames.ts"
import { type ParticipantState, ParticipantStates } from "../connection/participant-states.ts"
import { refusal, refusalOf } from "../connection/refusal.ts"
import type { Hub } from "../event/hub.ts"
import { type Commands, isOfLiveEvent, type OfLiveEvent } from "../frames/commands.ts"
import type { Accepted, EventNow, NotAccepted, ReplyOutcome, Sender } from "../frames/sender.ts"
import type { GatewayServices } from "../services.ts"
import type { Visitor } from "./visitor.ts"

/** Outcome of a command, with the faults of its data where these are the reason of a refusal. */
export type RequestOutcome = ReplyOutcome | NotAccepted

/** The refusal of a batch of which all commands are executed or none: by one of them, or by the event. */
export interface BatchRefused extends NotAccepted {
  readonly index: number | undefined
}

const NO_PERSON = "An API key is not a person at the event"
const WAITS = refusal("forbidden", "You wait in the lobby.")
const REMOVED = refusal("forbidden", "You were removed.")
const FAILED = refusal("internal_error", "The command failed unexpectedly.")

/** Where the visitor stands at the event, as the gateway knows it. */
interface Place {
  readonly sender: Sender
  readonly event: EventNow
  readonly standing: ParticipantState
}

const standingIn = (snapshot: LiveSnapshot, { identity }: Pick<Visitor, "identity">): ParticipantState => {
  const states = new ParticipantStates()
  states.restore(snapshot)
  states.lobby = snapshot.lobby
  return states.standing(identity, new Set(snapshot.removed))
}

const whyOutside = ({ isRemoved, admission }: ParticipantState): typeof WAITS | undefined => {
  if (isRemoved) return REMOVED
  return admission === "in" ? undefined : WAITS
}

export class RequestCommands {
  readonly #services: GatewayServices
  readonly #hub: Hub
  readonly #commands: Commands

  constructor(services: GatewayServices, hub: Hub, commands: Commands) {
    this.#services = services
    this.#hub = hub
    this.#commands = commands
  }

  /** Executes the commands in order, each for itself. */
  send(visitor: Visitor, frames: ReadonlyArray<CommandFrame>): Effect.Effect<ReadonlyArray<RequestOutcome>> {
    return this.#guarded(
      Effect.gen({ self: this }, function* () {
        const checked = this.#check(visitor, frames)
        const answers: RequestOutcome[] = []
        while (answers.length < checked.length) {
          const next = checked[answers.length]
          const group = liveCommandsFrom(checked, answers.length)
          if (group.length > 0) answers.push(...(yield* this.#executeAll(visitor, group)))
          else if (next !== undefined) answers.push("refusal" in next ? next : yield* this.#answer(visitor, next))
        }
        return answers
      }),
      () => frames.map(() => ({ refusal: FAILED })),
    )
  }

  /** Executes all commands in one commit, or none. */
  sendTogether(
    visitor: Visitor,
    frames: ReadonlyArray<CommandFrame>,
  ): Effect.Effect<ReadonlyArray<ReplyOutcome> | BatchRefused> {
    const accepted: OfLiveEvent[] = []
    for (const [index, one] of this.#check(visitor, frames).entries()) {
      if ("refusal" in one) return Effect.succeed({ index, ...one })
      if (!isOfLiveEvent(one)) return Effect.succeed({ index, refusal: notTogether(one) })
      accepted.push(one)
    }
    return this.#guarded(
      this.#commands.executeTogether(senderOf(visitor, null), this.#eventOf(visitor), accepted),
      (): BatchRefused => ({ index: undefined, refusal: FAILED }),
    )
  }

  /** The outcome that the command would have now. It is not executed, and counts as a command alone, not as one of its kind. */
  rehearse(visitor: Visitor, frame: CommandFrame): Effect.Effect<RequestOutcome> {
    const [one = { refusal: FAILED }] = this.#check(visitor, [frame], true)
    if ("refusal" in one) return Effect.succeed(one)
    if (!isOfLiveEvent(one)) {
      return Effect.succeed({
        refusal: refusal("bad_request", `${one.t} is answered without a commit: it has no dry run.`),
      })
    }
    return this.#guarded<RequestOutcome>(
      this.#commands.rehearse(senderOf(visitor, null), this.#eventOf(visitor), one),
      () => ({ refusal: FAILED }),
    )
  }

  #check(
    visitor: Visitor,
    frames: ReadonlyArray<CommandFrame>,
    isDryRun = false,
  ): ReadonlyArray<Accepted | NotAccepted> {
    const { telemetry, timers } = this.#services
    const event = this.#eventOf(visitor)
    const sender = senderOf(visitor, this.#hub.find(visitor.eventId)?.standingOf(visitor.identity) ?? null)
    const checked = frames.map((frame) => {
      telemetry.busiest.command(visitor.eventId, timers.now())
      const early = this.#commands.spend(sender, event)
      return early === undefined
        ? ofKey(this.#commands.accept(sender, event, frame, isDryRun), visitor)
        : { refusal: early }
    })
    event.memory.closed(visitor)
    return checked
  }

  #executeAll(visitor: Visitor, accepted: ReadonlyArray<OfLiveEvent>): Effect.Effect<ReadonlyArray<ReplyOutcome>> {
    return this.#commands.executeAll(senderOf(visitor, null), this.#eventOf(visitor), accepted)
  }

  /** Answers a command that the gateway decides. */
  #answer(visitor: Visitor, accepted: Accepted): Effect.Effect<ReplyOutcome> {
    return this.#placeOf(visitor).pipe(
      Effect.flatMap(({ sender, event, standing }) => {
        const outside = whyOutside(standing)
        const outcome = outside === undefined ? this.#commands.outcome(sender, event, accepted) : { refusal: outside }
        return Effect.isEffect(outcome) ? outcome : Effect.succeed(outcome)
      }),
      Effect.catch((failure) => Effect.succeed({ refusal: refusalOf(failure) })),
    )
  }

  #placeOf(visitor: Visitor): Effect.Effect<Place, NotFound | Unavailable> {
    const { eventId } = visitor
    const channel = this.#hub.find(eventId)
    if (channel?.isOpen === true) {
      const standing = channel.standingOf(visitor.identity)
      return Effect.succeed({ standing, sender: senderOf(visitor, standing), event: channel })
    }
    return Effect.map(this.#services.live.read(eventId, [], true), ({ snapshot, version }) => {
      const standing = standingIn(snapshot, visitor)
      const event = { ...this.#eventOf(visitor), phase: snapshot.phase, version, reactions: this.#reactionsTo(eventId) }
      return { standing, sender: senderOf(visitor, standing), event }
    })
  }

  #eventOf({ eventId, hasEnded }: Visitor): Pick<EventNow, "eventId" | "hasEnded" | "memory"> {
    return { eventId, hasEnded, memory: this.#hub.memories.of(eventId) }
  }

  /** Reports each reaction separately: only a channel gathers them. */
  #reactionsTo(eventId: string): EventNow["reactions"] {
    const { fork, live } = this.#services
    return {
      add: ({ roomId }, kind, n) => {
        const stream = roomId === null ? "event" : roomStream(roomId)
        fork(Effect.ignore(live.reportReactions(eventId, { counts: [{ stream, kind, n }] })))
      },
    }
  }

  #guarded<A>(work: Effect.Effect<A>, failed: () => A): Effect.Effect<A> {
    return Effect.catchCause(work, (cause) => {
      if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause)
      this.#services.telemetry.log.error({ err: Cause.squash(cause) }, "a command failed unexpectedly")
      return Effect.succeed(failed())
    })
  }
}

/** The accepted commands of the live event from an index up to the first other one. */
const liveCommandsFrom = (checked: ReadonlyArray<Accepted | NotAccepted>, from: number): ReadonlyArray<OfLiveEvent> => {
  const group: OfLiveEvent[] = []
  for (const one of checked.slice(from)) {
    if ("refusal" in one || !isOfLiveEvent(one)) break
    group.push(one)
  }
  return group
}

const senderOf = ({ identity, basis, ground, address }: Visitor, standing: ParticipantState | null): Sender => ({
  identity: standing?.identity ?? identity,
  roomId: standing?.roomId ?? null,
  basis,
  ground,
  address,
  isRequest: true,
})

/** Refuses an API key a command that only a person can send. */
const ofKey = (accepted: Accepted | NotAccepted, { identity }: Visitor): Accepted | NotAccepted =>
  !("refusal" in accepted) &&
  isKeyParticipant(identity.participantId) &&
  commandContract(accepted.t).needs !== undefined
    ? { refusal: refusal("forbidden", `${NO_PERSON}: ${accepted.t} is for the session of one.`) }
    : accepted

const notTogether = ({ t }: Accepted) =>
  refusal("bad_request", `${t} is answered without a commit: send it outside an atomic batch.`)
