/** Commands that the gateway answers from its own state, for a sender of any kind. */
import { Effect } from "effect"
import type { RosterQuery } from "../../actors/protocol.ts"
import { hashSecret, newSecret } from "../../identity/secrets.ts"
import { ingestAddress } from "../../media/live/addresses.ts"
import type { CommandData, GatewayCommandName, ReplyData } from "../../protocol/contract.ts"
import { can, whyNot } from "../../protocol/permissions.ts"
import { actingAs } from "../../protocol/rule.ts"
import { findPhaseBroadcast } from "../../store/media/broadcasts.ts"
import { refusal, refusalOf } from "../connection/refusal.ts"
import { lacksRoom } from "../event/reaction-counts.ts"
import { connectionGround } from "../grants/grounds.ts"
import type { GatewayServices } from "../services.ts"
import type { Accepted, EventNow, ReplyOutcome, Sender } from "./sender.ts"

/** Outcome of a command, with the reply of its contract. */
type OutcomeOf<T extends GatewayCommandName> = ReplyOutcome<ReplyData<T>>

type Answers = {
  readonly [T in GatewayCommandName]: (
    sender: Sender,
    event: EventNow,
    given: { readonly id: string; readonly d: CommandData<T> },
  ) => OutcomeOf<T> | Effect.Effect<OutcomeOf<T>>
}

const ROSTER_PAGE = 50

export class LocalAnswers {
  readonly #services: GatewayServices

  constructor(services: GatewayServices) {
    this.#services = services
  }

  /** The outcome, or the effect that succeeds with it. */
  answer(
    sender: Sender,
    event: EventNow,
    { t, d, frame: { id } }: Accepted & { readonly t: GatewayCommandName },
  ): ReplyOutcome | Effect.Effect<ReplyOutcome> {
    const permission = can(actingAs(sender.identity), event.phase, t)
    if (permission !== "allowed") return { refusal: refusal(permission, whyNot(permission, t)) }
    // The compiler cannot see that the data belongs to the answer of the same name.
    const answer = this.#answers[t] as Answers["roster.list"]
    return answer(sender, event, { id, d: d as CommandData<"roster.list"> })
  }

  readonly #answers: Answers = {
    "reaction.send": (sender, event, { id, d }) => react(sender, event, id, d),
    "roster.list": (_sender, event, { d }) => this.#roster(event, d),
    "broadcast.ingest": (sender, event) => this.#ingest(sender, event),
  }

  /** Issues a new address for every command, even a repeated one. */
  #ingest(sender: Sender, { phase, version }: EventNow): Effect.Effect<OutcomeOf<"broadcast.ingest">> {
    const { database, broadcasts, options } = this.#services
    const token = newSecret()
    const ground = sender.ground ?? connectionGround(sender, "speaker")
    return Effect.gen(function* () {
      const broadcast = yield* database.run((sql) => findPhaseBroadcast(sql, phase.id ?? ""))
      if (broadcast === undefined || ground === undefined)
        return { refusal: refusal("conflict", "The broadcast has not started.") }
      yield* broadcasts.giveIngest(broadcast, ground, hashSecret(token))
      return { v: version, d: ingestAddress(options.publicUrl, token), isDuplicate: false }
    }).pipe(Effect.catch((failure) => Effect.succeed({ refusal: refusalOf(failure) })))
  }

  #roster(event: EventNow, d: CommandData<"roster.list">): Effect.Effect<OutcomeOf<"roster.list">> {
    const query: RosterQuery = { ...d, limit: d.limit ?? ROSTER_PAGE }
    return this.#services.live.readRoster(event.eventId, query).pipe(
      Effect.map((page) => ({ v: event.version, d: { ...page }, isDuplicate: false })),
      Effect.catch((failure) => Effect.succeed({ refusal: refusalOf(failure) })),
    )
  }
}

/** The event counts reactions in batches and does not store them: only the gateway can detect a repeat. */
const react = (
  sender: Sender,
  { phase, memory, reactions, version }: EventNow,
  id: string,
  { kind, n = 1 }: CommandData<"reaction.send">,
): OutcomeOf<"reaction.send"> => {
  const body = `${kind} ${n}`
  const known = memory.recent.find(sender.identity.participantId, id)
  if (known !== undefined && known !== body) {
    return { refusal: refusal("conflict", "This command id was used with another body.") }
  }
  if (known === undefined && lacksRoom(sender, phase)) {
    return { refusal: refusal("conflict", "You are in no room now.") }
  }
  if (known === undefined) {
    reactions.add(sender, kind, n)
    memory.remember(sender.identity, id, body)
  }
  return { v: version, d: {}, isDuplicate: known !== undefined }
}
