/** The last acknowledged vote of each person, by its question or poll. */
export interface Vote {
  readonly of: "question" | "poll"
  readonly id: string
  readonly voter: string
  /** Options chosen; for a question, whether it stands. */
  readonly choice: string
  readonly during: string
}

export class Votes {
  readonly #last = new Map<string, Vote | undefined>()

  /** From now on nobody knows what is stored. */
  ask(of: Vote["of"], id: string, voter: string): void {
    this.#last.set(`${of} ${id} ${voter}`, undefined)
  }

  acknowledge(vote: Vote): void {
    this.#last.set(`${vote.of} ${vote.id} ${vote.voter}`, vote)
  }

  /** Those whose last vote was answered. */
  get known(): ReadonlyArray<Vote> {
    return [...this.#last.values()].flatMap((vote) => (vote === undefined ? [] : [vote]))
  }
}
