/** Several nodes on one PostgreSQL and one NATS, with a proxy before each node's port and between each node and PostgreSQL. */

import type { NatsServer } from "../../test/support/nats-server.ts"
import type { PostgresProxy } from "../../test/support/postgres-proxy.ts"
import type { NodeProxy } from "./node-proxy.ts"
import { ask, type PostgresUnderTest } from "./postgres.ts"
import type { ServerUnderTest } from "./server.ts"

export interface ClusterNode {
  readonly server: ServerUnderTest
  /** Between this node alone and PostgreSQL. */
  readonly database: PostgresProxy
  /** Between the other nodes and this one. */
  readonly link: NodeProxy
}

export interface Cluster {
  readonly nodes: ReadonlyArray<ClusterNode>
  readonly nats: NatsServer
}

/** A node's name is `host:pid:random`. */
const processOf = (node: string): number => Number(node.split(":").at(-2))

/** The ids of the events by the process of their owner. */
export const ownersOf = (
  postgres: PostgresUnderTest,
  eventIds: ReadonlyArray<string>,
): Promise<ReadonlyMap<number, ReadonlyArray<string>>> =>
  ask(postgres, async (sql) => {
    const rows = await sql<{ eventId: string; node: string }[]>`
      select event_id as "eventId", node from live_events where event_id = any(${[...eventIds]}::uuid[]) and node is not null`
    const owned = new Map<number, Array<string>>()
    for (const { eventId, node } of rows) {
      const pid = processOf(node)
      owned.set(pid, [...(owned.get(pid) ?? []), eventId])
    }
    return owned
  })

/** The fence goes up behind the owners' backs: their next commits are refused. */
export const raiseFence = (postgres: PostgresUnderTest): Promise<void> =>
  ask(postgres, async (sql) => {
    await sql`update live_events set epoch = epoch + 1`
  })
