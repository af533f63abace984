/** Around one accepted command: the answer it is given, the answer it was given before, and the step it commits. */
import { Effect } from "effect"
import { toTimestamp } from "../model/timestamp.ts"
import { type Answer, type Envelope, Refused } from "./commands.ts"
import type { Decision } from "./decide.ts"
import type { PresenceChange } from "./presence.ts"
import { presenceNotice } from "./presence-view.ts"
import type { Resident, Step } from "./resident.ts"
import { restEvent } from "./state.ts"

/** Due timers are commands without an id to repeat: a deadline that was dealt with is not current any more. */
export const TIMER_SCOPE = "timer"

export const answerOf = (of: Resident, result: Answer["result"]): Answer => ({
  version: of.version,
  duplicate: false,
  result,
  event: restEvent(of.state),
})

/** The stored answer of a command id that was accepted before; refused when the id comes with another body. */
export const rememberedAnswer = (of: Resident, envelope: Envelope): Effect.Effect<Answer | undefined, Refused> => {
  const known = of.answers.find(envelope.scope, envelope.commandId)
  if (known === undefined) return Effect.undefined
  if (known.bodyHash !== envelope.bodyHash) {
    return Effect.fail(new Refused({ code: "conflict", detail: "This command id was used with another body." }))
  }
  const reply = known.reply as Pick<Answer, "result" | "version">
  return Effect.succeed({ ...answerOf(of, reply.result), version: reply.version, duplicate: true })
}

export const stepOf = (
  from: Resident,
  envelope: Envelope,
  decision: Decision,
  farewells: ReadonlyArray<PresenceChange>,
): Step => {
  const { next, result } = decision
  const { scope, commandId, bodyHash } = envelope
  const reply = { result, version: from.version + 1 }
  return {
    state: next,
    at: envelope.at,
    dispatches: next.effects.dispatches,
    notices: [...next.effects.notices, ...farewells.map((change) => presenceNotice(next, change))],
    command: scope === TIMER_SCOPE ? null : { scope, commandId, bodyHash, reply, at: toTimestamp(envelope.at) },
  }
}
