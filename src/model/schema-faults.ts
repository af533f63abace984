/** Describes for a client why a value does not match its schema. */
import { SchemaIssue } from "effect"

const issues = SchemaIssue.makeFormatterStandardSchemaV1()
/** Most faults reported at once. */
export const MOST_FAULTS = 5

/** A fault and its path; no fault repeats a value, which may be a secret. */
export interface Fault {
  readonly path: ReadonlyArray<string>
  readonly message: string
}

export const faultsOf = (issue: SchemaIssue.Issue): ReadonlyArray<Fault> =>
  issues(issue).issues.map(({ path = [], message }) => ({
    path: path.map((part) => String(typeof part === "object" ? part.key : part)),
    message,
  }))

/** The first faults, and the number of further ones. */
export const firstFaults = (faults: ReadonlyArray<string>): string => {
  const more = faults.length - MOST_FAULTS
  const rest = more > 0 ? [`and ${more} more ${more === 1 ? "fault" : "faults"}`] : []
  return [...faults.slice(0, MOST_FAULTS), ...rest].join("; ")
}

/** The faults in one sentence; `where` names the location of a fault of the whole value. */
export const faultText = (faults: ReadonlyArray<Fault>, where: string): string =>
  `${firstFaults(faults.map(({ path, message }) => `${path.length === 0 ? where : path.join(".")}: ${message}`))}.`
