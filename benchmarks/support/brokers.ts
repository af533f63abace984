/** Message brokers for measurements over several processes: `nats-server` and `redis-server` on loopback, without files. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { connect } from "node:net"
import type { Defer } from "../benchmark.ts"
import { sleep } from "./figures.ts"
import { freePort } from "./free-port.ts"
import { type Program, programPath } from "./programs.ts"

export interface Broker {
  readonly pid: number
  readonly url: string
}

/** Counted by NATS itself, over all its clients. */
export interface NatsTraffic {
  readonly messagesIn: number
  readonly messagesOut: number
  readonly bytesIn: number
  readonly bytesOut: number
}

export interface Nats extends Broker {
  readonly traffic: () => Promise<NatsTraffic>
}

const START_DEADLINE_MS = 10_000

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1")
    const done = (is: boolean): void => {
      socket.destroy()
      resolve(is)
    }
    socket.once("connect", () => done(true))
    socket.once("error", () => done(false))
  })

const startProgram = async (
  name: Program,
  port: number,
  args: ReadonlyArray<string>,
  defer: Defer,
): Promise<number> => {
  const child = spawn(programPath(name), args, { stdio: "ignore" })
  defer(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill("SIGTERM")
    await once(child, "exit")
  })
  const deadline = Date.now() + START_DEADLINE_MS
  while (!(await accepts(port))) {
    if (Date.now() > deadline) throw new Error(`${name} did not start`)
    await sleep(50)
  }
  return child.pid ?? 0
}

type Varz = {
  readonly in_msgs: number
  readonly out_msgs: number
  readonly in_bytes: number
  readonly out_bytes: number
}

export const startNats = async (defer: Defer): Promise<Nats> => {
  const [port, monitor] = [await freePort(), await freePort()]
  const args = ["-a", "127.0.0.1", "-p", String(port), "-m", String(monitor)]
  const pid = await startProgram("nats-server", port, args, defer)
  return {
    pid,
    url: `nats://127.0.0.1:${port}`,
    traffic: async () => {
      const varz = (await (await fetch(`http://127.0.0.1:${monitor}/varz`)).json()) as Varz
      return {
        messagesIn: varz.in_msgs,
        messagesOut: varz.out_msgs,
        bytesIn: varz.in_bytes,
        bytesOut: varz.out_bytes,
      }
    },
  }
}

export const startRedis = async (defer: Defer): Promise<Broker> => {
  const port = await freePort()
  const args = ["--bind", "127.0.0.1", "--port", String(port), "--save", "", "--appendonly", "no"]
  const pid = await startProgram("redis-server", port, args, defer)
  return { pid, url: `redis://127.0.0.1:${port}` }
}
