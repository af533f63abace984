/**
 * Seats in calls, sent to participants with the dispatches that name a room. With a media server a seat is a token: it is minted when it is
 * sent and never stored, so that a replay carries a fresh one, and only for the participant's current room. Invariant: a connection gets
 * its own stream in order, even while a token is being minted. Without a media server a seat is the name of a browser-to-browser call, the
 * same for everyone in the room, and no dispatch waits.
 */
import { Cause, Effect } from "effect"
import type { ActivePhase } from "../../actors/state/state.ts"
import type { MediaToken } from "../../media/seats.ts"
import { hasSeat } from "../../model/modality.ts"
import type { MediaSeat } from "../../protocol/messages/media.ts"
import type { Connection } from "../connection/connection.ts"
import type { Identity } from "../connection/lifecycle.ts"
import type { ParticipantStates } from "../connection/participant-states.ts"
import { connectionGround } from "../grants/grounds.ts"
import type { GatewayServices } from "../services.ts"
import type { Outgoing } from "../transport/outgoing.ts"
import { sendAll } from "../transport/send.ts"
import { callOf, meshSeat } from "./places.ts"

type Fields = { readonly [field: string]: unknown }

/** The facts of an event on which its seats depend. */
interface SeatedEvent {
  readonly phase: ActivePhase
  readonly participants: Pick<ParticipantStates, "givenRole">
}

/** A connection's seats at one moment: in the main room, and in its room at that time. */
export interface ConnectionSeats {
  readonly roomId: string | null
  /** The phase; null: the role has no seat there. */
  readonly seatKey: string | null
  readonly main: MediaSeat | null
  readonly room: MediaSeat | null
}

/** Adds the room's seat to the part of `ready` that names the room. */
const partWithMedia = (part: unknown, { roomId, room }: ConnectionSeats): unknown => {
  if (typeof part !== "object" || part === null || room === null) return part
  return (part as Fields)["roomId"] === roomId ? { ...part, media: room } : part
}

export class MediaSeats {
  readonly #services: GatewayServices
  readonly #eventId: string
  readonly #event: SeatedEvent
  /** Key of the main-room seat last sent to a connection; `null`: the connection was told that it has none. */
  readonly #sent = new WeakMap<Connection, string | null>()
  /** Dispatches that wait for a token that is being minted. */
  readonly #waiting = new WeakMap<Connection, Outgoing[]>()

  constructor(services: GatewayServices, eventId: string, event: SeatedEvent) {
    this.#services = services
    this.#eventId = eventId
    this.#event = event
  }

  get hasServer(): boolean {
    return this.#services.media.hasServer
  }

  /** The seats to send to the connection now: the minted ones, or those of browser-to-browser calls. */
  present(connection: Connection, minted: ConnectionSeats | undefined): ConnectionSeats | undefined {
    if (this.hasServer) return minted
    const { identity, roomId } = connection
    return {
      roomId,
      seatKey: this.#seatKeyOf(connection),
      main: this.meshSeat(identity),
      room: this.#meshRoom(connection),
    }
  }

  /** The main room's browser-to-browser call; null: the role has none in the active phase. */
  meshSeat({ role }: Pick<Identity, "role">): MediaSeat | null {
    return meshSeat(callOf(role, null, this.#event.phase))
  }

  #meshRoom({ identity, roomId }: Connection): MediaSeat | null {
    return roomId === null ? null : meshSeat(callOf(identity.role, roomId, this.#event.phase))
  }

  /** Whether seats must be minted before the connection can get `ready`. */
  lacks(connection: Connection, seats: ConnectionSeats | undefined): boolean {
    if (!this.hasServer) return false
    return seats === undefined || seats.roomId !== connection.roomId || seats.seatKey !== this.#seatKeyOf(connection)
  }

  /** Whether the connection was sent its current seat in the main room. */
  wasSent(connection: Connection): boolean {
    return this.#sent.get(connection) === this.#seatKeyOf(connection)
  }

  /** Mints the connection's current seat in the main room; a seat that has changed meanwhile is not delivered. */
  change(connection: Connection, then: (seat: MediaToken | null) => void): void {
    const seatKey = this.#seatKeyOf(connection)
    const give = (seat: MediaToken | null): void => {
      if (connection.state !== "open" || seatKey !== this.#seatKeyOf(connection)) return
      if (seatKey === null || seat !== null) this.#sent.set(connection, seatKey)
      then(seat)
    }
    if (seatKey === null) give(null)
    else this.#services.fork(Effect.map(this.#mint(connection, null), give))
  }

  /** Called when these seats are being sent to the connection. */
  settle(connection: Connection, seats: ConnectionSeats | undefined): void {
    if (seats !== undefined && (seats.seatKey === null || seats.main !== null))
      this.#sent.set(connection, seats.seatKey)
  }

  #seatKeyOf({ identity: { role } }: Connection): string | null {
    const { id, modality } = this.#event.phase
    return modality !== null && hasSeat(role, modality) ? id : null
  }

  mint(connection: Connection, then: (seats: ConnectionSeats) => void): void {
    const { roomId } = connection
    const seatKey = this.#seatKeyOf(connection)
    const both = Effect.all([this.#mint(connection, null), roomId === null ? NONE : this.#mint(connection, roomId)])
    this.#services.fork(Effect.map(both, ([main, room]) => then({ roomId, seatKey, main, room })))
  }

  /** The personal part of `ready`, with the seats. */
  inReady(personal: Fields, seats: ConnectionSeats | undefined): Fields {
    if (seats === undefined) return personal
    const { assignment, round } = personal
    return {
      ...personal,
      ...(seats.main === null ? {} : { media: seats.main }),
      assignment: partWithMedia(assignment, seats),
      round: partWithMedia(round, seats),
    }
  }

  /** Missed dispatches, with a fresh seat in the connection's current room. */
  inReplay(dispatches: ReadonlyArray<Outgoing>, seats: ConnectionSeats | undefined): ReadonlyArray<string> {
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
    else this.#sendNow(connection, this.#meshed(connection, dispatches))
  }

  /** Adds the room's call to the dispatches that name the connection's room, if there is no media server. */
  #meshed(connection: Connection, dispatches: ReadonlyArray<Outgoing>): ReadonlyArray<string> {
    if (this.hasServer) return framesOf(dispatches)
    return dispatches.map(({ frame, seatable }) => {
      if (seatable === undefined || seatable.roomId !== connection.roomId) return frame
      const seat = this.#meshRoom(connection)
      return seat === null ? frame : seatable.withSeat(seat)
    })
  }

  /** The connection gets a `ready` or a replay: pending dispatches must not follow it. */
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
    // A participant who has moved on gets the dispatch of the other room next, and has no seat in this one.
    if (seatable === undefined || seatable.roomId === null || seatable.roomId !== connection.roomId) {
      return Effect.succeed(frame)
    }
    const { roomId, withSeat } = seatable
    return Effect.map(this.#mint(connection, roomId), (media) =>
      media === null || connection.roomId !== roomId ? frame : withSeat(media),
    )
  }

  #mint(connection: Connection, roomId: string | null): Effect.Effect<MediaToken | null> {
    const { id: phaseId, modality } = this.#event.phase
    if (modality === null || phaseId === null) return NONE
    const { participantId, name, role } = connection.identity
    const [ground, given] = [
      connectionGround(connection, "viewer"),
      this.#event.participants.givenRole(participantId) ?? null,
    ]
    const request = { eventId: this.#eventId, phaseId, roomId, participantId, name, role, modality, ground, given }
    const { media, roomGuard, telemetry } = this.#services
    roomGuard?.follow(this.#eventId)
    return media.tokenFor(request).pipe(
      Effect.catchCause((cause) => {
        if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt
        telemetry.log.error({ err: Cause.squash(cause), eventId: this.#eventId }, "a media seat could not be given")
        return NONE
      }),
    )
  }

  /** Sends frames now. A participant who was moved to the waiting room while a token was minted receives none. */
  #sendNow(connection: Connection, frames: ReadonlyArray<string>): void {
    if (connection.state !== "open") return
    sendAll(connection, frames, this.#services.options.orderedLimitBytes)
  }
}

const framesOf = (dispatches: ReadonlyArray<Outgoing>): ReadonlyArray<string> => dispatches.map(({ frame }) => frame)

const NONE: Effect.Effect<MediaToken | null> = Effect.succeed(null)
