/**
 * Seats in the media server, given to participants with what tells them of a room. A token is minted when it is sent and
 * stored nowhere, so that a replay carries a fresh one, and only for the room somebody is in now.
 * Invariants: a connection gets its own stream in order, also while a token is being minted. Without a media server
 * nothing here waits or looks into a frame.
 */
import { Cause, Effect } from "effect"
import type { ActivePhase } from "../../actors/domain/state.ts"
import { type MediaToken, seatKind } from "../../media/media.ts"
import type { Connection } from "../connection/connection.ts"
import type { GatewayServices } from "../services.ts"
import type { Outgoing } from "../transport/outgoing.ts"
import { sendAll } from "../transport/send.ts"

type Fields = { readonly [field: string]: unknown }

/** A connection's seats at one moment: in the main room, and in the room it was in then. */
export interface Seats {
  readonly roomId: string | null
  /** The phase, and as what they sit there. */
  readonly place: string | null
  readonly main: MediaToken | null
  readonly room: MediaToken | null
}

/** The room's seat into the part of `ready` that tells of it. */
const partWithMedia = (part: unknown, { roomId, room }: Seats): unknown => {
  if (typeof part !== "object" || part === null || room === null) return part
  return (part as Fields)["roomId"] === roomId ? { ...part, media: room } : part
}

export class MediaSeats {
  readonly #services: GatewayServices
  readonly #eventId: string
  readonly #phase: () => ActivePhase
  /** The seat in the main room that a connection was told of last: its place; `null`: that it has none. */
  readonly #told = new WeakMap<Connection, string | null>()
  /** What waits behind a token that is being minted. */
  readonly #waiting = new WeakMap<Connection, Outgoing[]>()

  constructor(services: GatewayServices, eventId: string, phase: () => ActivePhase) {
    this.#services = services
    this.#eventId = eventId
    this.#phase = phase
  }

  get hasServer(): boolean {
    return this.#services.media.hasServer
  }

  /** Must seats be minted before the connection can be told where it stands? */
  lacks(connection: Connection, seats: Seats | undefined): boolean {
    if (!this.hasServer) return false
    return seats === undefined || seats.roomId !== connection.roomId || seats.place !== this.#placeOf(connection)
  }

  /** Was the connection told of the seat in the main room that it has now? */
  isTold(connection: Connection): boolean {
    return !this.hasServer || this.#told.get(connection) === this.#placeOf(connection)
  }

  /** Gives a connection the seat it has now; if it has another by the time it is minted, that is given by itself. */
  change(connection: Connection, then: (seat: MediaToken | null) => void): void {
    const place = this.#placeOf(connection)
    const give = (seat: MediaToken | null): void => {
      if (connection.state !== "open" || place !== this.#placeOf(connection)) return
      if (place === null || seat !== null) this.#told.set(connection, place)
      then(seat)
    }
    if (place === null) give(null)
    else this.#services.fork(Effect.map(this.#mint(connection, null), give))
  }

  /** The connection is being told of these. */
  settle(connection: Connection, seats: Seats | undefined): void {
    if (seats !== undefined && (seats.place === null || seats.main !== null)) this.#told.set(connection, seats.place)
  }

  #placeOf({ identity: { role } }: Connection): string | null {
    const { id, modality } = this.#phase()
    const kind = modality === null ? null : seatKind({ role, modality })
    return kind === null ? null : `${id} ${kind}`
  }

  mint(connection: Connection, then: (seats: Seats) => void): void {
    const { roomId } = connection
    const place = this.#placeOf(connection)
    const both = Effect.all([this.#mint(connection, null), roomId === null ? NONE : this.#mint(connection, roomId)])
    this.#services.fork(Effect.map(both, ([main, room]) => then({ roomId, place, main, room })))
  }

  /** What of `ready` concerns a participant, with their seats. */
  inReady(personal: Fields, seats: Seats | undefined): Fields {
    if (seats === undefined) return personal
    const { assignment, round } = personal
    return {
      ...personal,
      ...(seats.main === null ? {} : { media: seats.main }),
      assignment: partWithMedia(assignment, seats),
      round: partWithMedia(round, seats),
    }
  }

  /** What was missed, with a fresh seat in the room that the connection is in. */
  inReplay(dispatches: ReadonlyArray<Outgoing>, seats: Seats | undefined): ReadonlyArray<string> {
    const room = seats?.room ?? null
    return dispatches.map(({ frame, seatable }) =>
      room !== null && seatable !== undefined && seatable.roomId === seats?.roomId ? seatable.withSeat(room) : frame,
    )
  }

  /** Sends dispatches of the connection's own stream, in order. */
  send(connection: Connection, dispatches: ReadonlyArray<Outgoing>): void {
    const waiting = this.#waiting.get(connection)
    const needsSeat = this.hasServer && dispatches.some(({ seatable }) => seatable !== undefined)
    if (waiting !== undefined) waiting.push(...dispatches)
    else if (needsSeat) this.#sendSeated(connection, [...dispatches])
    else this.#sendNow(connection, framesOf(dispatches))
  }

  /** The connection has been told all there is: nothing that waits is to follow. */
  forget(connection: Connection): void {
    this.#waiting.delete(connection)
  }

  #sendSeated(connection: Connection, waiting: Outgoing[]): void {
    this.#waiting.set(connection, waiting)
    const sendNext: Effect.Effect<void> = Effect.suspend(() => {
      const dispatches = waiting.splice(0)
      return Effect.forEach(dispatches, (dispatch) => this.#seated(connection, dispatch)).pipe(
        Effect.flatMap((seated) => {
          if (this.#waiting.get(connection) !== waiting) return Effect.void
          this.#sendNow(connection, seated)
          if (waiting.length > 0) return sendNext
          this.#waiting.delete(connection)
          return Effect.void
        }),
      )
    })
    this.#services.fork(sendNext)
  }

  #seated(connection: Connection, { frame, seatable }: Outgoing): Effect.Effect<string> {
    // A participant who has gone on to another room gets its dispatch next, and has no seat in this one.
    if (seatable === undefined || seatable.roomId === null || seatable.roomId !== connection.roomId) {
      return Effect.succeed(frame)
    }
    const { roomId, withSeat } = seatable
    return Effect.map(this.#mint(connection, roomId), (media) => (media === null ? frame : withSeat(media)))
  }

  #mint({ identity }: Connection, roomId: string | null): Effect.Effect<MediaToken | null> {
    const { id: phaseId, modality } = this.#phase()
    if (modality === null || phaseId === null) return NONE
    const { participantId, name, role } = identity
    const { media, telemetry } = this.#services
    return media.tokenFor({ eventId: this.#eventId, phaseId, roomId, participantId, name, role, modality }).pipe(
      Effect.catchCause((cause) => {
        if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt
        telemetry.log.error({ err: Cause.squash(cause), eventId: this.#eventId }, "a media seat could not be given")
        return NONE
      }),
    )
  }

  /** Who was sent to the lobby while a token was being minted hears nothing of it there. */
  #sendNow(connection: Connection, frames: ReadonlyArray<string>): void {
    if (connection.state !== "open") return
    sendAll(connection, frames, this.#services.options.orderedLimitBytes)
  }
}

const framesOf = (dispatches: ReadonlyArray<Outgoing>): ReadonlyArray<string> => dispatches.map(({ frame }) => frame)

const NONE: Effect.Effect<MediaToken | null> = Effect.succeed(null)
