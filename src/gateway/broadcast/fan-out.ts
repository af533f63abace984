/**
 * Turns dispatches into frames. The first dispatch after a pause is sent at once. Later ones are batched into one array per stream and
 * tick, because the cost of fan-out is per frame. A frame is built once and published to a topic. Ephemeral dispatches are kept by key
 * until the tick, so that only the newest of a key is sent.
 */
import type { EphemeralPublication } from "../../actors/feed.ts"
import { Throttle } from "../../clock/throttle.ts"
import type { Timers } from "../../clock/timers.ts"
import { hasHeldAddresses } from "../../media/links.ts"
import { ownerOf } from "../../model/live/streams.ts"
import type { StreamName } from "../streams/stream-names.ts"
import { ephemeralTopic, streamTopic } from "../streams/topics.ts"
import type { Outgoing } from "../transport/outgoing.ts"
import { framesOf } from "../transport/send.ts"

/** The connections of one event as receivers of frames. */
export interface Receivers {
  publish(topic: string, text: string): void
  /** Sends to all tabs of one participant, in order. */
  sendTo(participantId: string, dispatches: ReadonlyArray<Outgoing>): void
  /** Sends to each connection of the stream separately, because the text differs between connections. */
  sendToAll(stream: StreamName, dispatches: ReadonlyArray<string>): void
  /** Sends ephemeral dispatches to the participant's tabs that receive them. */
  sendEphemeralTo(participantId: string, dispatches: ReadonlyArray<string>): void
  /** Sends what connections hold back: a topic is published next. */
  release(): void
  /** Checks slow sockets; called before more is added to their buffers. */
  inspect(): void
  /** Called when all pending dispatches have been published. */
  flushed(): void
  /** Current length of a tick in milliseconds. */
  readonly tickMs: number
}

/** Published UTF-16 units after which the next flush checks the sockets. */
const INSPECT_EVERY = 16_384

export class FanOut {
  readonly #eventId: string
  readonly #receivers: Receivers
  #ordered = new Map<StreamName, Outgoing[]>()
  /** Newest frame of each key, by topic, and by participant. */
  #ephemeral = new Map<string, Map<string, string>>()
  #personal = new Map<string, Map<string, string>>()
  /** Frames to send after the ordered dispatches of their tick, by topic. */
  #after = new Map<string, string>()
  readonly #ticks: Throttle
  #sinceInspection = 0

  constructor(timers: Timers, eventId: string, receivers: Receivers) {
    this.#eventId = eventId
    this.#receivers = receivers
    this.#ticks = new Throttle(
      timers,
      () => receivers.tickMs,
      () => this.#flush(),
    )
  }

  /** Whether ordered dispatches are pending. */
  get hasPending(): boolean {
    return this.#ordered.size > 0
  }

  /** Number of a stream's unpublished dispatches. */
  pending(stream: StreamName): number {
    return this.#ordered.get(stream)?.length ?? 0
  }

  ordered(stream: StreamName, dispatch: Outgoing): void {
    const waiting = this.#ordered.get(stream)
    if (waiting === undefined) this.#ordered.set(stream, [dispatch])
    else waiting.push(dispatch)
  }

  ephemeral(publication: EphemeralPublication): void {
    const owner = ownerOf(publication.stream)
    const all = owner === undefined ? this.#ephemeral : this.#personal
    const target = owner ?? ephemeralTopic(this.#eventId, publication.stream, publication.optOut)
    const waiting = all.get(target) ?? new Map<string, string>()
    all.set(target, waiting.set(publication.key, publication.frame))
  }

  after(topic: string, frame: string): void {
    this.#after.set(topic, frame)
  }

  /** Sends pending dispatches now if the last tick is over, else at its end. */
  schedule(): void {
    if (this.#hasWork()) this.#ticks.request()
  }

  flush(): void {
    if (this.#hasWork()) this.#ticks.runNow()
    else this.#ticks.cancel()
  }

  #flush(): void {
    if (!this.#hasWork()) return
    const [ordered, ephemeral, personal, after] = [this.#ordered, this.#ephemeral, this.#personal, this.#after]
    this.#ordered = new Map()
    this.#ephemeral = new Map()
    this.#personal = new Map()
    this.#after = new Map()
    if (ephemeral.size + personal.size > 0 || this.#sinceInspection >= INSPECT_EVERY) {
      this.#sinceInspection = 0
      this.#receivers.inspect()
    }
    // Own votes first: a dispatch about the voted entity, such as its removal, was decided after the vote.
    for (const [owner, byKey] of personal) this.#receivers.sendEphemeralTo(owner, [...byKey.values()])
    // Own dispatches before shared ones, which may be long: a participant first learns of their own room, then of all rooms.
    const shared: (readonly [StreamName, ReadonlyArray<Outgoing>])[] = []
    for (const [stream, dispatches] of ordered) {
      const owner = ownerOf(stream)
      if (owner === undefined) shared.push([stream, dispatches])
      else this.#receivers.sendTo(owner, dispatches)
    }
    this.#receivers.release()
    for (const [stream, dispatches] of shared) {
      const frames = dispatches.map(({ frame }) => frame)
      if (frames.some(hasHeldAddresses)) this.#receivers.sendToAll(stream, frames)
      else this.#publish(streamTopic(this.#eventId, stream), frames)
    }
    for (const [topic, frame] of after) this.#publish(topic, [frame])
    for (const [topic, byKey] of ephemeral) this.#publish(topic, [...byKey.values()])
    this.#receivers.flushed()
  }

  /** Discards pending dispatches: their positions are no longer valid. */
  reset(): void {
    this.#ordered.clear()
    this.#ephemeral.clear()
    this.#personal.clear()
  }

  stop(): void {
    this.#ticks.cancel()
    this.reset()
    this.#after.clear()
  }

  #hasWork(): boolean {
    return this.#ordered.size + this.#ephemeral.size + this.#personal.size + this.#after.size > 0
  }

  #publish(topic: string, dispatches: ReadonlyArray<string>): void {
    for (const frame of framesOf(dispatches)) {
      this.#sinceInspection += frame.length
      this.#receivers.publish(topic, frame)
    }
  }
}
