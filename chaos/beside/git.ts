/** Questions to git about the repository of this checkout. */
import { execFile } from "node:child_process"
import { promisify } from "node:util"

const run = promisify(execFile)

/** Resolves to the output without its last line break; rejects when git does, or when there is no git. */
export const git = async (root: string, ...args: ReadonlyArray<string>): Promise<string> => {
  const { stdout } = await run("git", ["-C", root, ...args])
  return stdout.trimEnd()
}
