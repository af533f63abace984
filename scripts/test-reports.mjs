/** Reads the JSON reports of vitest: what failed, and what took longest. */
import { existsSync, readFileSync } from "node:fs"
import { relative } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))

/** The files of a report with their tests; empty if the run wrote none. */
export const filesOf = (path) => {
  const text = existsSync(path) ? readFileSync(path, "utf8") : ""
  return text === "" ? [] : JSON.parse(text).testResults.map((file) => ({ ...file, name: relative(root, file.name) }))
}

/** Each failed test by file and name with its message. A file that could not be loaded counts as one failed test. */
export const failuresOf = (path) =>
  filesOf(path).flatMap(({ name, status, message, assertionResults }) => {
    const failed = assertionResults
      .filter((test) => test.status === "failed")
      .map(({ fullName, failureMessages }) => ({ name: `${name}: ${fullName}`, message: failureMessages.join("\n") }))
    return failed.length === 0 && status === "failed" ? [{ name, message }] : failed
  })
