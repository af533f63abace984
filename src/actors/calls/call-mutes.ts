/**
 * Mutes of hosts in the calls of an event, by room and participant. A mute outlives the peer, so that nobody ends it by joining again, and
 * ends with the room's call: a mute of the plenary does not follow a person into a breakout room.
 */
import type { MutedSource } from "../../protocol/messages/media.ts"

interface Mute {
  readonly muted: ReadonlyArray<MutedSource>
  /** A host said so in this activation; otherwise nodes remember it of an earlier one. */
  readonly isSaid: boolean
}

export class CallMutes {
  readonly #byRoom = new Map<string, Map<string, Mute>>()

  of(roomId: string, participantId: string): ReadonlyArray<MutedSource> {
    return this.#byRoom.get(roomId)?.get(participantId)?.muted ?? []
  }

  say(roomId: string, participantId: string, muted: ReadonlyArray<MutedSource>): void {
    this.#put(roomId, participantId, { muted, isSaid: true })
  }

  /**
   * Takes what a node remembers, unless a host has said something since. A node of the build before knows of no mute, so that one node that
   * remembers it is enough.
   */
  recall(roomId: string, participantId: string, remembered: ReadonlyArray<MutedSource> = []): void {
    const known = this.#byRoom.get(roomId)?.get(participantId)
    if (known?.isSaid === true || remembered.length === 0) return
    const muted = [...new Set([...(known?.muted ?? []), ...remembered])]
    this.#put(roomId, participantId, { muted, isSaid: false })
  }

  /** The last peer left the room. */
  forget(roomId: string): void {
    this.#byRoom.delete(roomId)
  }

  #put(roomId: string, participantId: string, mute: Mute): void {
    const room = this.#byRoom.get(roomId) ?? new Map<string, Mute>()
    this.#byRoom.set(roomId, room.set(participantId, mute))
  }
}
