/** The peer: Socket.IO over three processes with Redis between them. */
import type { Defer } from "../benchmark.ts"
import { type Broker, startRedis } from "../support/brokers.ts"
import { type Child, startChild } from "../support/child.ts"
import { threadSeconds } from "../support/process-usage.ts"
import { NODES } from "./site.ts"
import type { Used } from "./usage-by-role.ts"

export interface Peer {
  readonly name: string
  readonly processes: ReadonlyArray<{ readonly child: Child; readonly port: number }>
  readonly redis: Broker
  /** One of its processes emits to all. */
  readonly publish: (options: { readonly perSecond: number; readonly seconds: number }) => Promise<unknown>
}

export const openPeer = async (defer: Defer): Promise<Peer> => {
  const redis = await startRedis(defer)
  const processes: Array<{ child: Child; port: number }> = []
  for (let n = 0; n < NODES; n++) {
    const child = await startChild(new URL("./socket-io-redis-peer.js", import.meta.url), defer)
    processes.push({ child, port: await child.call<number>("start", redis.url) })
  }
  return {
    name: `Socket.IO, ${NODES} processes`,
    processes,
    redis,
    publish: ({ perSecond, seconds }) =>
      processes[0]?.child.call("publish", { perSecond, seconds }) ?? Promise.resolve(),
  }
}

/** CPU of the peer's processes while the work goes on; Redis stands in NATS' place. */
export const measuredPeer = async ({ processes, redis }: Peer, work: () => Promise<unknown>): Promise<Used> => {
  const look = () => ({
    servers: processes.map(({ child }) => threadSeconds(child.pid)),
    nats: threadSeconds(redis.pid),
  })
  const before = look()
  const startedAt = performance.now()
  await work()
  const seconds = (performance.now() - startedAt) / 1000
  const after = look()
  return {
    servers: after.servers.map((used, at) => used - (before.servers[at] ?? 0)),
    nats: after.nats - before.nats,
    postgres: 0,
    traffic: { messagesIn: 0, messagesOut: 0, bytesIn: 0, bytesOut: 0 },
    seconds,
  }
}
