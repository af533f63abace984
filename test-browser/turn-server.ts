/** A TURN server of its own (coturn) on loopback with the shipped file, for the credentials of one secret. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
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
  /** Text of its file. */
  readonly settings: () => Promise<string>
  /** All that it has logged by now, with the details that an operator may ask for. */
  readonly log: () => string
  readonly stop: () => Promise<void>
}

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1")
    socket.once("connect", () => socket.destroy()).once("close", (hadError) => resolve(!hadError))
    socket.once("error", () => undefined)
  })

export const REALM = "gathercue.test"

const SHIPPED = new URL("../deploy/turnserver.conf", import.meta.url)

/** Loopback peers are allowed for this test alone: on a real server they open the way to its own services. */
const onLoopback = (text: string, port: number, secret: string, folder: string): string => {
  const pairs = [
    [/^static-auth-secret=$/m, `static-auth-secret=${secret}`],
    [/^realm=.*$/m, `realm=${REALM}`],
    [/^listening-port=.*$/m, `listening-ip=127.0.0.1\nlistening-port=${port}`],
    [/^min-port=.*\nmax-port=.*$/m, "min-port=42000\nmax-port=42999"],
    [/^external-ip=.*$/m, "relay-ip=127.0.0.1\nallow-loopback-peers"],
    [
      /^denied-peer-ip=127\..*$/m,
      `no-tls\nno-dtls\nuserdb=${join(folder, "users.sqlite")}\npidfile=${join(folder, "turn.pid")}`,
    ],
  ] as const
  return pairs.reduce((before, [pattern, by]) => {
    if (!pattern.test(before)) throw new Error(`deploy/turnserver.conf has no ${String(pattern)}`)
    return before.replace(pattern, by)
  }, text)
}

export const startTurnServer = async (): Promise<TurnServer> => {
  const [port, folder] = [await freePort(), await mkdtemp(join(tmpdir(), "gathercue-turn-"))]
  const secret = "a-secret-of-the-TURN-server-0123456789"
  const file = join(folder, "turnserver.conf")
  await writeFile(file, onLoopback(await readFile(SHIPPED, "utf8"), port, secret, folder))
  const logged: string[] = []
  const start = async (): Promise<() => Promise<void>> => {
    const child = spawn("/usr/bin/turnserver", ["-c", file, "--verbose"], {
      stdio: ["ignore", "pipe", "pipe"],
      cwd: folder,
    })
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => logged.push(String(chunk)))
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
    settings: () => readFile(file, "utf8"),
    log: () => logged.join(""),
    stop: async () => {
      await kill()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
