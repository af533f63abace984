/** A TURN server of its own (coturn) on loopback, for the credentials of one secret. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { freePort } from "../test/support/free-port.ts"
import { eventually } from "../test/support/wait.ts"

export interface TurnServer {
  readonly port: number
  readonly secret: string
  /** Kills it, with all relays. */
  readonly kill: () => Promise<void>
  /** Starts it again, at the same port. */
  readonly revive: () => Promise<void>
  readonly stop: () => Promise<void>
}

export const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1")
    socket.once("connect", () => socket.destroy()).once("close", (hadError) => resolve(!hadError))
    socket.once("error", () => undefined)
  })

/** Loopback peers are allowed for this test alone: on a real server they open the way to its own services. */
export const startTurnServer = async (): Promise<TurnServer> => {
  const [port, folder] = [await freePort(), await mkdtemp(join(tmpdir(), "gathercue-turn-"))]
  const secret = "a secret of the test's TURN server"
  const options = [
    ["listening-ip", "127.0.0.1"],
    ["relay-ip", "127.0.0.1"],
    ["listening-port", String(port)],
    ["min-port", "42000"],
    ["max-port", "42999"],
    ["static-auth-secret", secret],
    ["realm", "gathercue.test"],
    ["userdb", join(folder, "users.sqlite")],
    ["pidfile", join(folder, "turn.pid")],
    ["log-file", "stdout"],
  ]
  const switches = ["fingerprint", "use-auth-secret", "no-tls", "no-dtls", "no-cli", "allow-loopback-peers"]
  const settings = [...options.map(([name, value]) => `--${name}=${value}`), ...switches.map((name) => `--${name}`)]
  const start = async (): Promise<() => Promise<void>> => {
    const child = spawn("/usr/bin/turnserver", ["-n", ...settings], { stdio: "ignore", cwd: folder })
    const exited = once(child, "exit")
    await eventually(() => answers(port), "the TURN server listening")
    return async () => {
      child.kill("SIGKILL")
      await exited
    }
  }
  let kill = await start()
  return {
    port,
    secret,
    kill: () => kill(),
    revive: async () => {
      kill = await start()
    },
    stop: async () => {
      await kill()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
