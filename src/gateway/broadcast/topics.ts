/**
 * The engine's topics that a connection is subscribed to. A stream has one topic for ordered dispatches, another for ephemeral
 * ones (slow sockets leave it), and one for each kind of those that clients may opt out of. A participant's own stream is sent,
 * not published.
 */
import { ownerOf, pollStream } from "../../model/live/streams.ts"
import type { OptOut } from "../../protocol/dispatch.ts"
import type { ActingRole } from "../../protocol/rule.ts"
import type { Connection } from "../connection/connection.ts"
import { ephemeralTopicsOf, type StreamName } from "./stream-names.ts"

export class Topics {
  readonly #eventId: string

  constructor(eventId: string) {
    this.#eventId = eventId
  }

  topic(stream: StreamName): string {
    return `${this.#eventId}/${stream}`
  }

  ephemeralTopic(stream: StreamName, optOut?: OptOut): string {
    return `${this.topic(stream)}~${optOut ?? ""}`
  }

  /** The topic of all connections with the same acting role. */
  roleTopic(role: ActingRole): string {
    return `${this.#eventId}/role/${role}`
  }

  subscribe(connection: Connection, stream: StreamName): void {
    if (ownerOf(stream) !== undefined) return
    connection.socket.subscribe(this.topic(stream))
    if (connection.getsEphemeral) this.#tune(connection, stream, true)
  }

  unsubscribe(connection: Connection, stream: StreamName): void {
    if (ownerOf(stream) !== undefined) return
    connection.socket.unsubscribe(this.topic(stream))
    this.#tune(connection, stream, false)
  }

  /** Subscribes the connection to the ephemeral dispatches of these streams, or unsubscribes it. */
  setEphemeral(connection: Connection, streams: ReadonlyArray<StreamName>, on: boolean): void {
    connection.apply({ type: "ephemeralSet", on })
    for (const stream of streams) {
      if (ownerOf(stream) === undefined) this.#tune(connection, stream, on)
    }
  }

  /** The tally that only voters receive. */
  subscribePoll(connection: Connection, pollId: string, on: boolean): void {
    const topic = this.ephemeralTopic(pollStream(pollId))
    if (on) connection.socket.subscribe(topic)
    else connection.socket.unsubscribe(topic)
    connection.apply({ type: "pollSubscribed", pollId, on })
  }

  changeRole(connection: Connection, from: ActingRole, to: ActingRole): void {
    connection.socket.unsubscribe(this.roleTopic(from))
    connection.socket.subscribe(this.roleTopic(to))
  }

  #tune(connection: Connection, stream: StreamName, on: boolean): void {
    for (const optOut of ephemeralTopicsOf(stream)) {
      if (optOut !== undefined && connection.mutes.has(optOut)) continue
      const topic = this.ephemeralTopic(stream, optOut)
      if (on) connection.socket.subscribe(topic)
      else connection.socket.unsubscribe(topic)
    }
  }
}
