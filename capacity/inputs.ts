/** The questions to the model, and its assumptions. Each figure is an option of the command. */

export interface InputRow {
  readonly fallback: number
  readonly unit: string
  readonly doc: string
}

export type InputTable = { readonly [name: string]: InputRow }
export type InputsOf<Table extends InputTable> = { readonly [Name in keyof Table]: number }

/** Of the machines and the services. */
export const PLACE = {
  utilisation: { fallback: 0.6, unit: "share", doc: "of a core that a node may use on the average" },
  nodeGib: { fallback: 4, unit: "GiB", doc: "memory of a node" },
  heapGib: { fallback: 4, unit: "GiB", doc: "Node's heap; its own limit on a machine of 16 GiB or more" },
  socketsPerNode: { fallback: 100_000, unit: "sockets", doc: "that a node takes (maxConnections)" },
  databaseCores: { fallback: 16, unit: "cores", doc: "of PostgreSQL's machine" },
  databaseConnections: { fallback: 500, unit: "connections", doc: "max_connections" },
  pool: { fallback: 10, unit: "connections", doc: "DATABASE_POOL of a node; it has one more" },
  natsCores: { fallback: 4, unit: "cores", doc: "of one NATS server" },
  natsGbit: { fallback: 10, unit: "Gbit/s", doc: "network of one NATS server" },
  frameBytes: { fallback: 300, unit: "bytes", doc: "of a dispatch on a socket" },
} as const satisfies InputTable

export const ONE_EVENT = {
  viewers: { fallback: 1_000_000, unit: "people", doc: "at one event" },
  dispatches: { fallback: 5, unit: "1/s", doc: "commits whose dispatch everybody gets" },
  arriveSeconds: { fallback: 600, unit: "s", doc: "in which all of them arrive" },
  gatherMs: {
    fallback: 10,
    unit: "ms",
    doc: "between presence reports of one node (GATHER_MS in the gateway, no setting)",
  },
  churnPerHour: { fallback: 0.5, unit: "1/h", doc: "times that a viewer leaves and comes back" },
} as const satisfies InputTable

export const MANY_EVENTS = {
  events: { fallback: 100_000, unit: "events", doc: "live at the same time" },
  people: { fallback: 20, unit: "people", doc: "at each of them" },
  commandsPerMinute: { fallback: 6, unit: "1/min", doc: "commands of one event" },
  arriveSeconds: { fallback: 900, unit: "s", doc: "in which all people arrive, before a full hour" },
  together: { fallback: 0, unit: "0 or 1", doc: "1: the load balancer sends the people of one event to one node" },
} as const satisfies InputTable

export type Place = InputsOf<typeof PLACE>
export type OneEvent = InputsOf<typeof ONE_EVENT> & Place
export type ManyEvents = InputsOf<typeof MANY_EVENTS> & Place
