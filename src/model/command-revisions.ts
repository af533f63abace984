/**
 * Which commands may name the revision (`rev`) of what they act on, and what that is. A stale one is refused with how the
 * thing stands now. What any other command acts on has no revision, and a command that names one is refused as well: whoever
 * does relies on a check that nobody makes.
 */
import type { CommandName } from "./permissions.ts"

type Revised = "phase" | "timer" | "question" | "message" | "poll" | "room" | "breakout" | "rotation"

const REVISED: { readonly [T in CommandName]?: Revised } = {
  /** The active one. */
  "phase.next": "phase",
  "phase.update": "phase",
  "timer.extend": "timer",
  "question.withdraw": "question",
  "question.vote": "question",
  "question.approve": "question",
  "question.hide": "question",
  "question.restore": "question",
  "question.pin": "question",
  "question.answer": "question",
  "chat.delete": "message",
  "poll.open": "poll",
  "poll.vote": "poll",
  "poll.close": "poll",
  "poll.publish": "poll",
  "poll.delete": "poll",
  "breakout.move": "breakout",
  "breakout.close": "breakout",
  "room.choose": "room",
  "rotation.skip": "rotation",
  "rotation.pause": "rotation",
  "rotation.resume": "rotation",
  "rotation.stop": "rotation",
}

/** Of what the command may name a revision; null: of nothing. */
export const revisedBy = (command: CommandName): Revised | null => REVISED[command] ?? null
