/** Why a value is not what its schema says, in words for a client. */
import { SchemaIssue } from "effect"

const issues = SchemaIssue.makeFormatterStandardSchemaV1()
const MOST_FAULTS = 5

/** A fault and its place; no fault repeats a value, which may be a secret. */
export interface Fault {
  readonly path: ReadonlyArray<string>
  readonly message: string
}

export const faultsOf = (issue: SchemaIssue.Issue): ReadonlyArray<Fault> =>
  issues(issue)
    .issues.slice(0, MOST_FAULTS)
    .map(({ path = [], message }) => ({
      path: path.map((part) => String(typeof part === "object" ? part.key : part)),
      message,
    }))

/** All faults in one sentence; `where` names the place of a fault of the whole. */
export const faultText = (faults: ReadonlyArray<Fault>, where: string): string =>
  `${faults.map(({ path, message }) => `${path.length === 0 ? where : path.join(".")}: ${message}`).join("; ")}.`
