/**
 * Sends the dispatches of one event to its connections on this node, and tracks the positions up to which they have been sent: the feed may
 * be one tick ahead.
 */
import type { EphemeralPublication } from "../../actors/feed.ts"
import { ownerOf, wireStream } from "../../model/live/streams.ts"
import type { Connection } from "../connection/connection.ts"
import type { ConnectionRegistry } from "../connection/connection-registry.ts"
import type { EventSubscriber } from "../recovery/event-subscriber.ts"
import type { MediaSeats } from "../rtc/media-seats.ts"
import type { GatewayServices } from "../services.ts"
import type { StreamCursors, StreamName } from "../streams/stream-names.ts"
import type { Outgoing } from "../transport/outgoing.ts"
import { inspectBuffers, resumeEphemeral, sendAll, sendEphemeral } from "../transport/send.ts"
import { FanOut, type Receivers } from "./fan-out.ts"

/** Targets of a delivery. */
interface Targets {
  readonly participants: ConnectionRegistry
  readonly media: MediaSeats
}

export class Delivery implements Receivers {
  readonly publish: (topic: string, text: string) => void
  readonly #options: GatewayServices["options"]
  readonly #targets: Targets
  readonly #subscriber: EventSubscriber
  readonly #fanOut: FanOut
  /** Connections with held-back objects. */
  readonly #holding: Connection[] = []
  /** Version up to which all dispatches are published. */
  #shown = 0

  constructor(
    { timers, publish, options }: GatewayServices,
    eventId: string,
    targets: Targets,
    subscriber: EventSubscriber,
  ) {
    this.publish = publish
    this.#options = options
    this.#targets = targets
    this.#subscriber = subscriber
    this.#fanOut = new FanOut(timers, eventId, this)
  }

  /** Version up to which connections have received everything. */
  get version(): number {
    return this.#fanOut.hasPending ? this.#shown : this.#subscriber.version
  }

  /** Highest `s` of the stream that was sent to subscribers. */
  published(stream: StreamName): number {
    return this.#subscriber.buffers.head(stream) - this.#fanOut.pending(stream)
  }

  /** Highest published `s` of each of the connection's streams. */
  heads(connection: Connection): StreamCursors {
    return Object.fromEntries(connection.streams.map((name) => [wireStream(name), this.published(name)]))
  }

  /** Queues a dispatch. One for an absent participant is in the replay buffer only. */
  ordered(stream: StreamName, dispatch: Outgoing): void {
    if (this.#isHere(stream)) this.#fanOut.ordered(stream, dispatch)
  }

  ephemeral(publication: EphemeralPublication): void {
    if (this.#isHere(publication.stream)) this.#fanOut.ephemeral(publication)
  }

  /** Sends a frame to a topic after everything pending for the tick. */
  afterTick(topic: string, frame: string): void {
    this.#fanOut.after(topic, frame)
  }

  /** Holds an object back, so that one frame has it and the connection's own dispatches. `schedule` sends it at the latest. */
  hold(connection: Connection, object: string): void {
    connection.hold(object)
    this.#holding.push(connection)
  }

  release(): void {
    for (const connection of this.#holding.splice(0)) connection.release()
  }

  /** Publishes pending dispatches now if the last tick is over, else at its end. */
  schedule(): void {
    this.#fanOut.schedule()
    this.release()
  }

  flush(): void {
    this.#fanOut.flush()
  }

  /** Publishes all pending dispatches if any of these streams has some. */
  flushIfPending(streams: ReadonlyArray<StreamName>): void {
    if (streams.some((stream) => this.#fanOut.pending(stream) > 0)) this.#fanOut.flush()
  }

  /** Discards pending dispatches: every connection gets a snapshot of the feed's current version. */
  restart(): void {
    this.#fanOut.reset()
    this.flushed()
  }

  flushed(): void {
    this.#shown = this.#subscriber.version
  }

  stop(): void {
    this.#fanOut.stop()
  }

  get tickMs(): number {
    return this.#options.tickMs(this.#targets.participants.size)
  }

  sendTo(participantId: string, dispatches: ReadonlyArray<Outgoing>): void {
    const { participants, media } = this.#targets
    for (const connection of participants.connectionsOf(participantId)) {
      if (!connection.isPaused) media.send(connection, dispatches)
    }
  }

  sendToAll(stream: StreamName, dispatches: ReadonlyArray<string>): void {
    for (const connection of [...this.#targets.participants.connections()]) {
      if (!connection.isPaused && connection.streams.includes(stream)) {
        sendAll(connection, dispatches, this.#options.orderedLimitBytes)
      }
    }
  }

  sendEphemeralTo(participantId: string, dispatches: ReadonlyArray<string>): void {
    const connections = this.#targets.participants.connectionsOf(participantId)
    sendEphemeral(connections, dispatches, this.#options.orderedLimitBytes)
  }

  inspect(): void {
    inspectBuffers(this.#targets.participants.connections(), this.#options)
  }

  /** Called when the connection's buffer has shrunk. */
  drained(connection: Connection): void {
    resumeEphemeral(connection, this.#options)
  }

  #isHere(stream: StreamName): boolean {
    const owner = ownerOf(stream)
    return owner === undefined || this.#targets.participants.has(owner)
  }
}
