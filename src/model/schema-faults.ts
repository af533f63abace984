/** Why a value is not what its schema says, in words for a client. */
import { SchemaIssue } from "effect"

const issues = SchemaIssue.makeFormatterStandardSchemaV1()
/** As many as are told at once. */
export const MOST_FAULTS = 5

/** A fault and its place; no fault repeats a value, which may be a secret. */
export interface Fault {
  readonly path: ReadonlyArray<string>
  readonly message: string
}

export const faultsOf = (issue: SchemaIssue.Issue): ReadonlyArray<Fault> =>
  issues(issue).issues.map(({ path = [], message }) => ({
    path: path.map((part) => String(typeof part === "object" ? part.key : part)),
    message,
  }))

/** The first faults, and how many more there are. */
export const firstFaults = (faults: ReadonlyArray<string>): string => {
  const more = faults.length - MOST_FAULTS
  const rest = more > 0 ? [`and ${more} more ${more === 1 ? "fault" : "faults"}`] : []
  return [...faults.slice(0, MOST_FAULTS), ...rest].join("; ")
}

/** In one sentence; `where` names the place of a fault of the whole. */
export const faultText = (faults: ReadonlyArray<Fault>, where: string): string =>
  `${firstFaults(faults.map(({ path, message }) => `${path.length === 0 ? where : path.join(".")}: ${message}`))}.`
