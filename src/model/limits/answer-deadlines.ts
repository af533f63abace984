/**
 * Deadlines of an answer, from the innermost to the outermost. Each is longer than the one it waits for, so that a caller gets the reason
 * of the innermost one.
 */
export interface AnswerDeadlines {
  /** Milliseconds for one attempt to ask a live event: as long as one of its statements may take. */
  readonly attemptMs: number
  /** Milliseconds for all attempts while an event moves between nodes. */
  readonly reachMs: number
  /** Milliseconds for one REST request. */
  readonly requestMs: number
}

/** Longest time in milliseconds for a test email or a test call of a webhook, whose request waits for the outcome. */
export const TRIAL_MS = 15_000

/**
 * `lostMs`: the silence after which a node counts as lost, so that its events have moved when the attempts end; null without other nodes.
 */
export const answerDeadlines = (databaseDeadlineMs: number, lostMs: number | null): AnswerDeadlines => {
  const reachMs = Math.max(databaseDeadlineMs + 3_000, (lostMs ?? 0) + 2_000)
  return { attemptMs: databaseDeadlineMs, reachMs, requestMs: Math.max(reachMs + 7_000, TRIAL_MS + 2_000) }
}
