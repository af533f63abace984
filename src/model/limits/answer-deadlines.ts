/**
 * Deadlines of an answer, from the inside to the outside: each is longer than the one that it waits for, so that a caller hears the
 * reason of the innermost one.
 */
export interface AnswerDeadlines {
  /** One attempt to ask a live event, milliseconds: as long as a statement of its own may take. */
  readonly attemptMs: number
  /** All attempts while an event moves between nodes, milliseconds. */
  readonly reachMs: number
  /** One REST request, milliseconds. */
  readonly requestMs: number
}

/** The longest that a test letter or a test call of a webhook takes, milliseconds: the request of it waits for its outcome. */
export const TRIAL_MS = 15_000

/** `lostMs`: the silence after which a node is lost, so that its events have moved when the attempts end; null without other nodes. */
export const answerDeadlines = (databaseDeadlineMs: number, lostMs: number | null): AnswerDeadlines => {
  const reachMs = Math.max(databaseDeadlineMs + 3_000, (lostMs ?? 0) + 2_000)
  return { attemptMs: databaseDeadlineMs, reachMs, requestMs: Math.max(reachMs + 7_000, TRIAL_MS + 2_000) }
}
