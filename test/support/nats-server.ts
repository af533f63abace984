/** A `nats-server` on loopback that keeps no files, as a process that can be killed and started again at the same port. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { connect } from "node:net"
import { delimiter, join } from "node:path"
import { eventually } from "./wait.ts"

const PROGRAM = "nats-server"

/** Debian installs it where the path of an ordinary user does not look. */
const folders = (): ReadonlyArray<string> => [...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin"]

const findProgram = (): string | undefined =>
  folders()
    .map((folder) => join(folder, PROGRAM))
    .find((path) => existsSync(path))

/** The message is one sentence for the person at the terminal. */
export class NatsMissing extends Error {
  override readonly name = "NatsMissing"
}

/** Throws `NatsMissing` where the program is not installed. */
export const needNats = (): string => {
  const path = findProgram()
  if (path === undefined) {
    throw new NatsMissing(
      "Several nodes need the program nats-server (Debian package nats-server), which is not installed.",
    )
  }
  return path
}

/** Resolves to true when NATS greets. */
const greets = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1")
    const done = (is: boolean) => {
      socket.destroy()
      resolve(is)
    }
    socket.once("data", () => done(true))
    socket.once("error", () => done(false))
    // timed: the deadline of a look at the port.
    socket.setTimeout(1000, () => done(false))
  })

export class NatsServer {
  readonly #port: number
  #child: ChildProcess | undefined

  constructor(port: number) {
    this.#port = port
  }

  get url(): string {
    return `nats://127.0.0.1:${this.#port}`
  }

  async start(): Promise<void> {
    this.#child = spawn(needNats(), ["-a", "127.0.0.1", "-p", String(this.#port)], { stdio: "ignore" })
    await eventually(() => greets(this.#port), "NATS being started")
  }

  async kill(): Promise<void> {
    const child = this.#child
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    child.kill("SIGKILL")
    await once(child, "exit")
  }
}
