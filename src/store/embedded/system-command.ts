/**
 * Runs one short command of the operating system or of PostgreSQL to its end, as a given system user. The child sees none of our
 * environment: variables such as PGDATA or LC_ALL must not influence the database.
 */
import { spawn } from "node:child_process"

/** A numeric system user. `undefined` wherever it is optional means "the user this process already is". */
export interface SystemUser {
  readonly uid: number
  readonly gid: number
}

/** The whole environment of every child: messages in English, times in UTC. */
export const CHILD_ENVIRONMENT = { LC_ALL: "C", TZ: "UTC", PATH: "/usr/sbin:/usr/bin:/sbin:/bin" } as const

export interface CommandResult {
  /** Whether the command could be started and ended with code 0. */
  readonly ok: boolean
  /** Error code of a failed start, e.g. `EACCES` or `ENOENT`. */
  readonly startFailure: string | undefined
  /** Standard output followed by standard error. */
  readonly output: string
}

/** Never rejects: the result describes the failure. Killed after `timeoutMs`. */
export function runCommand(
  command: string,
  args: ReadonlyArray<string>,
  options: { readonly runAs?: SystemUser | undefined; readonly timeoutMs?: number } = {},
): Promise<CommandResult> {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      ...options.runAs,
      cwd: "/",
      env: CHILD_ENVIRONMENT,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
      timeout: options.timeoutMs ?? 10_000,
    })
    const output: Record<"stdout" | "stderr", string> = { stdout: "", stderr: "" }
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      output.stdout += chunk
    })
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
      output.stderr += chunk
    })
    child.once("error", (error: NodeJS.ErrnoException) => {
      resolve({ ok: false, startFailure: error.code ?? error.message, output: error.message })
    })
    child.once("close", (code) => {
      resolve({ ok: code === 0, startFailure: undefined, output: (output.stdout + output.stderr).trim() })
    })
  })
}
