/** One command in a batch: answered before, refused, without effect, or added as a step of its own. */

import { type Answer, type Command, isAgendaCommand, type Outcome, type Received, Refused } from "../commands.ts"
import { decide } from "../domain/decide.ts"
import { type LiveState, restEvent } from "../domain/state.ts"
import type { Turn } from "../domain/turn.ts"
import { presenceNotice } from "../presence/presence-view.ts"
import type { Batch } from "./batch.ts"
import type { OwnedEvent } from "./owned-event.ts"

/** The scope of the server's own commands. They need no id against repeats: what they ask for holds already when they come again. */
export const TIMER_SCOPE = "timer"

/** The refusal of an id that is reused with another body. */
export const ID_USED_BEFORE = "This command id was used with another body."

interface AnswerFields {
  readonly version: number
  readonly result: Answer["result"]
  readonly duplicate: boolean
}

const answerOf = (state: LiveState, command: Command, fields: AnswerFields): Answer => ({
  ...fields,
  event: isAgendaCommand(command) ? restEvent(state) : null,
})

/** The stored answer of an accepted command id, or a refusal when the id is reused with another body. */
export const rememberedAnswer = (batch: Batch, envelope: Received): Outcome | undefined => {
  const known = batch.answered(envelope)
  if (known === undefined) return undefined
  if (known.bodyHash !== envelope.bodyHash) {
    return new Refused({ code: "conflict", detail: ID_USED_BEFORE })
  }
  const { result, version } = known.reply as Pick<Answer, "result" | "version">
  return answerOf(batch.state, envelope.command, { result, version, duplicate: true })
}

export const perform = (
  batch: Batch,
  turn: Turn,
  envelope: Received,
  event: Pick<OwnedEvent, "finalLeaves">,
): Outcome => {
  const { scope, commandId, bodyHash, command } = envelope
  const result = decide(turn, envelope)
  if (result instanceof Refused) {
    turn.undo()
    return result
  }
  if (turn.isIdle) {
    batch.addEphemeral(turn.ephemeral, turn.now)
    if (scope !== TIMER_SCOPE) batch.rememberIdle({ scope, commandId, bodyHash, result }, turn.at)
    return answerOf(batch.state, command, { result, version: batch.version, duplicate: false })
  }
  if (turn.state.deleted) {
    const leaves = event.finalLeaves(envelope.at).map((change) => presenceNotice(turn.state, change))
    turn.webhookEvents.push(...leaves)
  }
  const version = batch.add(turn, scope === TIMER_SCOPE ? undefined : { scope, commandId, bodyHash, result })
  return answerOf(batch.state, command, { result, version, duplicate: false })
}
