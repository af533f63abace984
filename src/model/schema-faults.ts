/** Why a value is not what its schema says, in words for a client. */
import { SchemaIssue } from "effect"

const issues = SchemaIssue.makeFormatterStandardSchemaV1()

/** The faults and their places, without repeating any value: a value may be a secret. */
export const faultsOf = (issue: SchemaIssue.Issue, where: string): string => {
  const lines = issues(issue)
    .issues.slice(0, 5)
    .map(({ path = [], message }) => {
      const at = path.map((part) => (typeof part === "object" ? part.key : part)).join(".")
      return `${at === "" ? where : at}: ${message}`
    })
  return `${lines.join("; ")}.`
}
