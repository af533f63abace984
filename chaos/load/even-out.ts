/** A node that was replaced has no sockets: some move to it, as those of new people would behind a load balancer. */
import { shuffled } from "../../src/model/pairing/seeded-random.ts"
import type { Chance } from "../chance.ts"
import type { Client } from "./client.ts"

/** Moves sockets of the other nodes to this one, until it has its share. */
export const moveSocketsTo = (node: number, nodes: number, clients: ReadonlyArray<Client>, chance: Chance): void => {
  const missing = Math.floor(clients.length / nodes) - clients.filter((client) => client.node === node).length
  const others = shuffled(
    clients.filter((client) => client.node !== node),
    chance.random,
  )
  for (const client of others.slice(0, Math.max(0, missing))) client.cut(node)
}
