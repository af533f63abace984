/**
 * The measurements that `npm run bench -- nodes --save 1` keeps in `measured.json`: CPU seconds of each process over a time, with what it
 * did in that time. Figures are medians of rounds. Unit costs are derived from them in `calibration.ts`.
 */

/** Counted by NATS over all nodes, within the time. */
export interface NatsTraffic {
  readonly messagesIn: number
  readonly messagesOut: number
  readonly bytesIn: number
  readonly bytesOut: number
}

/** CPU seconds. `owner`: the node that owns the event. */
export interface NodesCpu {
  readonly owner: number
  /** The node to which the host of the event is connected; it does not own the event. */
  readonly host: number
  /** A node that neither owns the event nor has its host. */
  readonly other: number
  readonly nats: number
  readonly postgres: number
}

export interface SingleCpu {
  readonly server: number
  readonly postgres: number
}

/** Announcements to one event, whose sockets are spread evenly over the nodes. */
export interface FanOutMeasured {
  readonly sockets: number
  readonly announcements: number
  readonly nodes: {
    readonly seconds: number
    readonly cpu: NodesCpu
    /** Frames to all sockets. */
    readonly frames: number
    readonly deliveries: number
    readonly traffic: NatsTraffic
    /** With the same sockets, which only listen. */
    readonly rest: { readonly seconds: number; readonly cpu: NodesCpu }
  }
  readonly single: {
    readonly seconds: number
    readonly cpu: SingleCpu
    readonly frames: number
    readonly deliveries: number
    readonly rest: { readonly seconds: number; readonly cpu: SingleCpu }
  }
}

/** Newcomers to one event, spread evenly over the nodes. */
export interface JoinsMeasured {
  /** People who are there already, so many that lists of people are not sent any more. */
  readonly before: number
  readonly joins: number
  readonly perSecond: number
  readonly nodes: { readonly seconds: number; readonly cpu: NodesCpu; readonly traffic: NatsTraffic }
  readonly single: { readonly seconds: number; readonly cpu: SingleCpu }
}

/**
 * Announcements to many events of one owner. Each event has a host on the owner's node (`owner`), one on a second node (`host`), and
 * viewers on a third one (`other`), all connected throughout, so that each commit has two copies of its feed message.
 */
export interface CommandsMeasured {
  /** The hosts that announce: on the owner's node, or on the second one. */
  readonly hosts: "local" | "remote"
  readonly events: number
  readonly perSecond: number
  readonly commands: number
  readonly seconds: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly cpu: NodesCpu
  readonly traffic: NatsTraffic
}

/** Bytes that stay in use, and CPU of nodes at rest. */
export interface StandingMeasured {
  /** Resident bytes of a node with nothing to do. */
  readonly processBytes: number
  /** Of a node, CPU seconds per second. */
  readonly processCpu: number
  /** Of PostgreSQL for each node at rest, CPU seconds per second. */
  readonly postgresPerNode: number
  /** Resident bytes for each socket of a node with one event. */
  readonly socketBytes: number
  /** Heap of the owner for each participant of its event, sockets aside. */
  readonly participantBytes: number
  /** Heap for each live event with an owner here, without sockets. */
  readonly ownedEventBytes: number
  /** Heap for each event that a node follows for one socket. */
  readonly followedEventBytes: number
  /** CPU seconds per second for each owned event without any traffic. */
  readonly ownedEventCpu: number
  /** The same for each followed event, with its one socket. */
  readonly followedEventCpu: number
  /** Of PostgreSQL for each event that one node follows. */
  readonly postgresPerFollowedEvent: number
}

/** CPU seconds of one commit and one message, where there is as much to do as possible, and how many that were in a second. */
export interface BusyMeasured {
  readonly postgresCommit: number
  readonly commitsPerSecond: number
  /** Into or out of NATS. */
  readonly natsMessage: number
  readonly messagesPerSecond: number
}

export interface Measured {
  readonly at: string
  readonly machine: string
  readonly nodes: number
  readonly fanOut: ReadonlyArray<FanOutMeasured>
  readonly joins: ReadonlyArray<JoinsMeasured>
  readonly commands: ReadonlyArray<CommandsMeasured>
  readonly standing: StandingMeasured
  readonly busy: BusyMeasured
}
