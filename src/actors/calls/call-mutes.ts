/**
 * What hosts muted in the calls of an event, by room and participant. It outlives the peer, so that nobody ends a mute by joining again,
 * and it ends with the room's call: a mute of the plenary does not follow a person into a breakout room.
 */
import type { MutedSource } from "../../protocol/messages/media.ts"

export class CallMutes {
  readonly #byRoom = new Map<string, Map<string, ReadonlyArray<MutedSource>>>()

  of(roomId: string, participantId: string): ReadonlyArray<MutedSource> {
    return this.#byRoom.get(roomId)?.get(participantId) ?? []
  }

  put(roomId: string, participantId: string, muted: ReadonlyArray<MutedSource>): void {
    const room = this.#byRoom.get(roomId) ?? new Map<string, ReadonlyArray<MutedSource>>()
    if (muted.length === 0) room.delete(participantId)
    else room.set(participantId, muted)
    if (room.size === 0) this.#byRoom.delete(roomId)
    else this.#byRoom.set(roomId, room)
  }

  /** The last peer left the room. */
  forget(roomId: string): void {
    this.#byRoom.delete(roomId)
  }
}
