/** Programs that a test runs to their end. */
import { execFile } from "node:child_process"
import { promisify } from "node:util"

const DEADLINE_MS = 900_000
const LARGEST_OUTPUT = 64 * 1024 ** 2

interface Failed {
  readonly stdout?: string
  readonly stderr?: string
  readonly code?: string | number
  readonly killed?: boolean
}

/** @throws with what the program printed, where it fails or takes too long */
export const run = async (
  command: string,
  args: ReadonlyArray<string>,
  options: { readonly cwd?: string } = {},
): Promise<string> => {
  try {
    const limits = { timeout: DEADLINE_MS, maxBuffer: LARGEST_OUTPUT }
    const { stdout } = await promisify(execFile)(command, args, { ...limits, ...options })
    return stdout
  } catch (cause) {
    const { stdout = "", stderr = "", code, killed } = cause as Failed
    const why = killed ? "took too long" : `ended with ${code}`
    throw new Error(`${command} ${args.slice(0, 3).join(" ")} ${why}:\n${`${stdout}\n${stderr}`.trim().slice(-6000)}`)
  }
}
