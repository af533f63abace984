/** The result of the check of one promise. */
export interface Outcome {
  readonly id: string
  /** What the documentation says. */
  readonly sentence: string
  /** The page and heading that have the sentence. */
  readonly source: string
  readonly state: "ok" | "failed" | "skipped"
  /** What was checked, or why it failed, with the frames that show it. */
  readonly detail: string
}

export interface Report {
  /** The name of what was checked. */
  readonly subject: string
  readonly outcomes: ReadonlyArray<Outcome>
}

const indented = (text: string): string => text.replaceAll(/^/gm, "         ")

const textOf = ({ id, sentence, source, state, detail }: Outcome): string =>
  state === "failed"
    ? `failed   ${id}: ${sentence} (${source})\n${indented(detail)}`
    : `${state.padEnd(8)} ${id}: ${state === "ok" ? sentence : detail}`

/** The promises to check, in their order. @throws for a name that no promise has: what is not checked must not pass. */
export const chosenOf = <Id extends string>(
  ids: ReadonlyArray<Id>,
  only: ReadonlyArray<string> | undefined,
): ReadonlyArray<Id> => {
  const unknown = only?.find((name) => !ids.some((id) => id === name))
  if (unknown !== undefined) throw new Error(`There is no promise "${unknown}": there are ${ids.join(", ")}.`)
  return only === undefined ? ids : ids.filter((id) => only.includes(id))
}

export const isKept = ({ outcomes }: Report): boolean => outcomes.every(({ state }) => state !== "failed")

export const textOfReport = (report: Report): string => {
  const count = (state: Outcome["state"]): number => report.outcomes.filter((one) => one.state === state).length
  const total = `${count("ok")} promises kept, ${count("failed")} broken, ${count("skipped")} skipped`
  return [report.subject, ...report.outcomes.map(textOf), total].join("\n")
}
