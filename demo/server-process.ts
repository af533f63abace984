/** The real server as a child process on a throwaway data folder: started, asked where it listens, stopped cleanly. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"

interface ServerProcess {
  readonly url: string
  /** SIGTERM, then waits; resolves to the exit code. */
  readonly stop: () => Promise<number | null>
}

const LISTENS = /listens on (\S+)/

export const startServerProcess = async (): Promise<ServerProcess> => {
  const dataDir = await mkdtemp(join(tmpdir(), "gathercue-demo-"))
  const main = new URL("../src/main.js", import.meta.url).pathname
  const child = spawn(process.execPath, [main], {
    env: { ...process.env, PORT: "0", DATA_DIR: dataDir, LOG_LEVEL: "warn", WEBHOOK_RETRY_SCHEDULE: "1,2,4" },
    stdio: ["ignore", "pipe", "inherit"],
  })
  const exited = once(child, "exit")
  const stop = async (): Promise<number | null> => {
    child.kill("SIGTERM")
    const [code] = (await exited) as [number | null]
    await rm(dataDir, { recursive: true, force: true })
    return code
  }
  for await (const line of createInterface({ input: child.stdout })) {
    const url = LISTENS.exec(line)?.[1]
    if (url === undefined) continue
    child.stdout.resume()
    return { url, stop }
  }
  await exited
  await rm(dataDir, { recursive: true, force: true })
  throw new Error("the server did not start")
}
