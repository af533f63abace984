/** The server as its own process, the way an operator runs it: so that tests can kill it. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { compiled } from "./compiled.ts"

export interface ServerProcess {
  readonly url: string
  readonly child: ChildProcess
  /** Everything it has written by now. */
  readonly written: () => string
  /** Ends it with the signal and waits; resolves to the exit code, `null` when the signal ended it. */
  readonly end: (signal: "SIGTERM" | "SIGINT" | "SIGKILL") => Promise<number | null>
}

interface Exited {
  readonly code: number | null
  readonly stderr: string
}

/** `openFiles`: the limit of its open files, if not that of the tests. */
const launch = async (
  environment: { readonly [key: string]: string },
  args: ReadonlyArray<string> = [],
  openFiles?: number,
) => {
  const command = [process.execPath, await compiled("src/main.ts"), ...args]
  // The limit is set in a shell, which the server takes the place of.
  const [file = "", ...rest] =
    openFiles === undefined ? command : ["/bin/sh", "-c", `ulimit -n ${openFiles} && exec "$@"`, "sh", ...command]
  const child = spawn(file, rest, {
    env: { PATH: process.env["PATH"] ?? "", LOG_LEVEL: "error", WEBHOOK_RETRY_SCHEDULE: "0.1,0.2,0.4", ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  })
  const exited = once(child, "exit").then(([code]) => code as number | null)
  const errors: string[] = []
  child.stderr.on("data", (chunk: Buffer) => errors.push(chunk.toString()))
  const lines: string[] = []
  child.stdout.on("data", (chunk: Buffer) => lines.push(chunk.toString()))
  const closed = once(child, "close")
  return { child, exited, closed, lines, errors, written: () => [...lines, ...errors].join("") }
}

/** Starts a server and waits until it listens. */
export const startServerProcess = async (
  environment: { readonly [key: string]: string },
  openFiles?: number,
): Promise<ServerProcess> => {
  const { child, exited, errors, written } = await launch(environment, [], openFiles)
  const listening = (async () => {
    for await (const line of createInterface({ input: child.stdout })) {
      const url = /listens on (\S+)/.exec(line)?.[1]
      if (url !== undefined) return url
    }
    await exited
    throw new Error(`the server did not start: ${errors.join("")}`)
  })()
  const url = await listening
  child.stdout.resume()
  return {
    url,
    child,
    written,
    end: async (signal) => {
      child.kill(signal)
      return exited
    },
  }
}

/** Starts a server that is expected to refuse; resolves to how it went. */
export const refusedStart = async (environment: { readonly [key: string]: string }): Promise<Exited> => {
  const { child, exited, errors } = await launch(environment)
  child.stdout.resume()
  return { code: await exited, stderr: errors.join("") }
}

/** Runs the command and kills it as soon as the condition holds, or leaves it to end before. */
export const killedCommand = async (
  args: ReadonlyArray<string>,
  environment: { readonly [key: string]: string },
  when: () => boolean,
): Promise<void> => {
  const { child, closed } = await launch(environment, args)
  // timed: the pause between two looks at another process.
  const look = setInterval(() => {
    if (when()) child.kill("SIGKILL")
  }, 1)
  await closed
  clearInterval(look)
}

/** Runs the command with arguments until it ends. */
export const runCommand = async (
  args: ReadonlyArray<string>,
  environment: { readonly [key: string]: string } = {},
): Promise<Exited & { readonly stdout: string }> => {
  const { exited, closed, lines, errors } = await launch(environment, args)
  await closed
  return { code: await exited, stdout: lines.join(""), stderr: errors.join("") }
}
