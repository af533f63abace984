/** A TURN server of its own (coturn) on loopback with the shipped file and script, for the credentials of one secret. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { freePort } from "./free-port.ts"
import { eventually } from "./wait.ts"

export interface TurnServer {
  readonly port: number
  readonly secret: string
  /** Kills it, with all relays. */
  readonly kill: () => Promise<void>
  /** Starts it again, at the same port. */
  readonly revive: () => Promise<void>
  /** Text of the file that the script made. */
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

/** The shipped script names it. */
export const REALM = "gathercue"

const shipped = (file: string): URL => new URL(`../../deploy/${file}`, import.meta.url)

/** Loopback peers are allowed for this test alone: on a real server they open the way to its own services. */
const onLoopback = (text: string, port: number): string => {
  const pairs = [
    [/^listening-port=.*$/m, `listening-ip=127.0.0.1\nlistening-port=${port}\nno-tls\nno-dtls\nverbose`],
    [/^min-port=.*\nmax-port=.*$/m, "min-port=42000\nmax-port=42999"],
    [/^denied-peer-ip=127\..*$/m, "relay-ip=127.0.0.1\nallow-loopback-peers"],
  ] as const
  return pairs.reduce((before, [pattern, by]) => {
    if (!pattern.test(before)) throw new Error(`deploy/turnserver.conf has no ${String(pattern)}`)
    return before.replace(pattern, by)
  }, text)
}

export const startTurnServer = async (): Promise<TurnServer> => {
  const [port, folder] = [await freePort(), await mkdtemp(join(tmpdir(), "gathercue-turn-"))]
  const secret = "a-secret-of-the-TURN-server-0123456789"
  const file = join(folder, "shipped.conf")
  await writeFile(file, onLoopback(await readFile(shipped("turnserver.conf"), "utf8"), port))
  const logged: string[] = []
  const start = async (): Promise<() => Promise<void>> => {
    const child = spawn("sh", [fileURLToPath(shipped("turnserver.sh")), file, folder], {
      stdio: ["ignore", "pipe", "pipe"],
      cwd: folder,
      env: { PATH: "/usr/bin:/bin", TURN_SECRET: secret, TURN_ADDRESS: "127.0.0.1" },
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
    settings: () => readFile(join(folder, "turnserver.conf"), "utf8"),
    log: () => logged.join(""),
    stop: async () => {
      await kill()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
