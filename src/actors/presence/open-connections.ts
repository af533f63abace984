/**
 * A participant's connections on all nodes, in the order in which the live event learned of them. A node reports all its connections at
 * once, so a repeated report changes nothing.
 */

/** One connection, by its number on its node. */
export interface OpenConnection {
  readonly node: string
  readonly connection: number
}

/** All connections of a participant on one node, oldest first. */
export interface NodeConnections {
  readonly node: string
  readonly connections: readonly [number, ...number[]]
}

export const opened = ({ node, connections }: NodeConnections): ReadonlyArray<OpenConnection> =>
  connections.map((connection) => ({ node, connection }))

/** The connections after a node's report. */
export const reported = (
  known: ReadonlyArray<OpenConnection>,
  { node, connections }: NodeConnections,
): ReadonlyArray<OpenConnection> => {
  const kept = known.filter((one) => one.node !== node || connections.includes(one.connection))
  const isKept = (connection: number): boolean => kept.some((one) => one.node === node && one.connection === connection)
  const more = connections.filter((connection) => !isKept(connection))
  return [...kept, ...more.map((connection) => ({ node, connection }))]
}

/** The connections after the last one on a node closed. */
export const withoutNode = (known: ReadonlyArray<OpenConnection>, node: string): ReadonlyArray<OpenConnection> =>
  known.filter((one) => one.node !== node)

const NONE: ReadonlyArray<OpenConnection> = []

/** The oldest connections, in excess of `most`. */
export const surplus = (known: ReadonlyArray<OpenConnection>, most: number): ReadonlyArray<OpenConnection> =>
  known.length > most ? known.slice(0, known.length - most) : NONE
