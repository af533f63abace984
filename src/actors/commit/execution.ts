/** One command's way through a batch: answered before, refused, without effect, or taken as a step of its own. */

import { type Answer, type Command, type Envelope, isAgendaCommand, type Outcome, Refused } from "../commands.ts"
import { decide } from "../domain/decide.ts"
import { type LiveState, restEvent } from "../domain/state.ts"
import type { Turn } from "../domain/turn.ts"
import type { PresenceChange } from "../presence/presence.ts"
import { presenceNotice } from "../presence/presence-view.ts"
import type { Batch } from "./batch.ts"
import { entryOfTurn } from "./batch.ts"

/** Due timers are commands without an id to repeat: a deadline that was dealt with is not current any more. */
export const TIMER_SCOPE = "timer"

/** Said when an id comes again with another body. */
export const ID_USED_BEFORE = "This command id was used with another body."

interface Said {
  readonly version: number
  readonly result: Answer["result"]
  readonly duplicate: boolean
}

const answerOf = (state: LiveState, command: Command, said: Said): Answer => ({
  ...said,
  event: isAgendaCommand(command) ? restEvent(state) : null,
})

/** The stored answer of a command id that was accepted before; a refusal when the id comes with another body. */
export const rememberedAnswer = (batch: Batch, envelope: Envelope): Outcome | undefined => {
  const known = batch.answered(envelope.scope, envelope.commandId)
  if (known === undefined) return undefined
  if (known.bodyHash !== envelope.bodyHash) {
    return new Refused({ code: "conflict", detail: ID_USED_BEFORE })
  }
  const { result, version } = known.reply as Pick<Answer, "result" | "version">
  return answerOf(batch.state, envelope.command, { result, version, duplicate: true })
}

/** `farewells`: those who leave with a deleted event, whose leaving no later commit could tell. */
export const perform = (
  batch: Batch,
  turn: Turn,
  envelope: Envelope,
  farewells: () => ReadonlyArray<PresenceChange>,
): Outcome => {
  const { scope, commandId, bodyHash, command } = envelope
  const result = decide(turn, envelope)
  if (result instanceof Refused) {
    turn.undo()
    return result
  }
  if (turn.isIdle) {
    batch.mention(turn.ephemeral, turn.now)
    if (scope !== TIMER_SCOPE) batch.noteIdle({ scope, commandId, bodyHash, result }, turn.at)
    return answerOf(batch.state, command, { result, version: batch.version, duplicate: false })
  }
  const step = entryOfTurn(turn)
  const partings = turn.state.deleted ? farewells().map((change) => presenceNotice(turn.state, change)) : []
  const version = batch.take({
    ...step,
    webhookEvents: [...step.webhookEvents, ...partings],
    ...(scope === TIMER_SCOPE ? {} : { command: { scope, commandId, bodyHash, result } }),
  })
  return answerOf(batch.state, command, { result, version, duplicate: false })
}
