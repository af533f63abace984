/** What a run says of each promise. */
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

export const isKept = ({ outcomes }: Report): boolean => outcomes.every(({ state }) => state !== "failed")

export const textOfReport = (report: Report): string => {
  const count = (state: Outcome["state"]): number => report.outcomes.filter((one) => one.state === state).length
  const total = `${count("ok")} promises kept, ${count("failed")} broken, ${count("skipped")} skipped`
  return [report.subject, ...report.outcomes.map(textOf), total].join("\n")
}
