/** The product as it is run: `dist/src/main.js` in a process of its own, configured by its environment alone. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import type { Defer } from "../benchmark.ts"

export const SECRET_KEY = "secret-key-of-the-benchmarks-0123456789"

/** The environment of a server in production, behind a proxy that names the addresses of the clients. */
export const PRODUCTION = {
  NODE_ENV: "production",
  PUBLIC_URL: "https://events.example.com",
  TRUSTED_PROXIES: "127.0.0.1",
} as const

export interface ServerProcess {
  readonly pid: number
  readonly url: string
  readonly port: number
  readonly stop: () => Promise<void>
}

const MAIN = fileURLToPath(new URL("../../src/main.js", import.meta.url))

export interface ServerOptions {
  readonly environment: { readonly [key: string]: string }
  /** Not 0: a CPU profile of the whole run is written when the server stops. */
  readonly profile?: number
  /** Told every line of the server's log. */
  readonly said?: (line: string) => void
  /** Further options of Node. */
  readonly nodeOptions?: ReadonlyArray<string>
}

/** For every benchmark that has a server. */
export const PROFILE_OPTION = {
  profile: { fallback: 0, doc: "1 writes a CPU profile of the server, which costs it some speed." },
}

const profileOptions = (): ReadonlyArray<string> => {
  const folder = mkdtempSync(join(tmpdir(), "gathercue-profile-"))
  console.log(`CPU profile of the server: ${folder}\n`)
  return ["--cpu-prof", `--cpu-prof-dir=${folder}`]
}

export const startServerProcess = async (
  { environment, profile = 0, said: onLine, nodeOptions = [] }: ServerOptions,
  defer: Defer,
): Promise<ServerProcess> => {
  const child = spawn(process.execPath, [...nodeOptions, ...(profile === 0 ? [] : profileOptions()), MAIN], {
    stdio: ["ignore", "pipe", "inherit"],
    env: {
      ...process.env,
      NODE_ENV: "development",
      HOST: "127.0.0.1",
      PORT: "0",
      LOG_LEVEL: "silent",
      SECRET_KEY,
      // All load comes from one address here.
      SOCKETS_PER_ADDRESS: "1000000",
      ...environment,
    },
  })
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill("SIGTERM")
    await once(child, "exit")
  }
  defer(stop)
  const url = await new Promise<string>((resolve, reject) => {
    let said = ""
    if (onLine !== undefined) {
      createInterface({ input: child.stdout }).on("line", (line) => {
        if (line.startsWith("{")) onLine(line)
      })
    }
    child.once("exit", (code) => reject(new Error(`the server ended at its start (${code})`)))
    child.stdout.on("data", (chunk: Buffer) => {
      said += chunk.toString("utf8")
      const found = /listens on (http:\/\/\S+)/.exec(said)?.[1]
      if (found !== undefined) resolve(found)
    })
  })
  return { pid: child.pid ?? 0, url, port: Number(new URL(url).port), stop }
}
