/** A room, which passes packets from person to person. It decides each quarter of a second, sooner when a person comes, and at once when one goes. */

import type { RtpPacket } from "../rtp/packet.ts"
import type { Peer } from "../session/peer.ts"
import { byRecentSpeech, layersWithin, placed, type Wanted } from "./assignment.ts"
import type { Layer } from "./layer.ts"
import type { Muted, Publication, Source } from "./publication.ts"
import type { Slot } from "./slot.ts"

/** A tile that a browser shows. */
export interface View {
  readonly peer: string
  readonly source: Source
  /** Height of the tile in pixels. */
  readonly height: number
}

/** The person and source that a slot shows; null in an empty slot. */
export interface SlotContent {
  readonly mid: string
  readonly peer: string | null
  readonly source: Source | null
}

export interface RoomEvents {
  readonly onSlots: (room: string, peer: string, gen: number, slots: ReadonlyArray<SlotContent>) => void
}

/** Height in pixels that is assumed of the tiles of a browser that said nothing. */
const UNKNOWN_HEIGHT = 360
const SPEAKS_FOR_MS = 1500

interface Member {
  readonly peer: Peer
  views: ReadonlyArray<View>
  muted: ReadonlyArray<Muted>
  told: string
}

export class Room {
  readonly #id: string
  readonly #events: RoomEvents
  readonly #now: () => number
  readonly #members = new Map<string, Member>()
  /** Slots that show a publication, so that a packet finds its ways without a search. */
  #ways = new Map<Publication, ReadonlyArray<Slot>>()
  #isChanged = false

  constructor(id: string, now: () => number, events: RoomEvents) {
    this.#id = id
    this.#now = now
    this.#events = events
  }

  /** Whether somebody came or shows other tiles since the last decision. */
  get isChanged(): boolean {
    return this.#isChanged
  }

  add(peer: Peer): void {
    this.#members.set(peer.id, { peer, views: [], muted: [], told: "" })
    this.#isChanged = true
  }

  remove(peer: Peer): void {
    if (this.#members.get(peer.id)?.peer === peer && this.#members.delete(peer.id)) this.decide()
  }

  mute(id: string, muted: ReadonlyArray<Muted>): void {
    const member = this.#members.get(id)
    if (member === undefined || member.muted.join() === muted.join()) return
    member.muted = muted
    this.decide()
  }

  look(id: string, views: ReadonlyArray<View>): void {
    const member = this.#members.get(id)
    if (member === undefined) return
    member.views = views
    // A browser whose socket was lost may have missed what it was told.
    member.told = ""
    this.#isChanged = true
  }

  forward(publication: Publication, layer: Layer, packet: RtpPacket, number: number): void {
    const now = this.#now()
    for (const slot of this.#ways.get(publication) ?? []) slot.forward(layer, packet, number, now)
  }

  /** Asks the source of what the slot shows for a whole picture. */
  askKeyFrame(slot: Slot): void {
    const layer = slot.awaited ?? slot.shown
    const owner = slot.publication?.owner
    if (layer !== undefined && owner !== undefined) this.#members.get(owner)?.peer.askKeyFrame(layer)
  }

  decide(): void {
    this.#isChanged = false
    const now = this.#now()
    const all = [...this.#members.values()].flatMap(({ peer, muted }) =>
      peer.publications.filter(({ source }) => !muted.includes(source === "screen" ? "camera" : source)),
    )
    const ways = new Map<Publication, Array<Slot>>()
    for (const member of this.#members.values()) this.#place(member, all, ways, now)
    this.#ways = ways
  }

  #place(member: Member, all: ReadonlyArray<Publication>, ways: Map<Publication, Array<Slot>>, now: number): void {
    const { peer } = member
    const others = all.filter(({ owner, layers }) => owner !== peer.id && layers.some((layer) => layer?.isSent(now)))
    const sounds = this.#heardBy(peer, others, now)
    const pictures = this.#wantedBy(member, others)
    const layers = layersWithin(pictures, peer.allowance(now), now)
    const shown = pictures.flatMap(({ publication }) => (layers.has(publication) ? [publication] : []))
    for (const [kind, wanted] of [
      ["audio", sounds],
      ["video", shown],
    ] as const) {
      const slots = peer.slots.filter((slot) => slot.kind === kind)
      const contents = placed(
        slots.map(({ publication }) => publication),
        wanted,
      )
      for (const [at, slot] of slots.entries()) {
        const publication = contents[at]
        const target = kind === "audio" ? publication?.layers[0] : publication && layers.get(publication)
        slot.show(publication, target)
        if (publication !== undefined) ways.set(publication, [...(ways.get(publication) ?? []), slot])
        if (slot.awaited !== undefined) this.askKeyFrame(slot)
      }
    }
    this.#tell(member)
  }

  /** People who are heard already stay while they speak, also beside others who speak. */
  #heardBy({ slots }: Peer, others: ReadonlyArray<Publication>, now: number): ReadonlyArray<Publication> {
    const sounds = byRecentSpeech(others.filter(({ kind }) => kind === "audio"))
    const shown = new Set(slots.map(({ publication }) => publication))
    const stays = (one: Publication): boolean => shown.has(one) && now - one.spokeAt < SPEAKS_FOR_MS
    return [...sounds.filter(stays), ...sounds.filter((one) => !stays(one))]
  }

  /** The tiles that the browser shows; a browser that did not say so gets who spoke last. Screens come first. */
  #wantedBy({ views }: Member, others: ReadonlyArray<Publication>): ReadonlyArray<Wanted> {
    const pictures = others.filter(({ kind }) => kind === "video")
    if (views.length > 0)
      return views.flatMap(({ peer, source, height }) => {
        const publication = pictures.find((one) => one.owner === peer && one.source === source)
        return publication === undefined ? [] : [{ publication, height }]
      })
    const speakers = byRecentSpeech(others.filter(({ kind }) => kind === "audio")).map(({ owner }) => owner)
    const place = ({ source, owner }: Publication): number => {
      const at = speakers.indexOf(owner)
      if (source === "screen") return -1
      return at < 0 ? speakers.length : at
    }
    return pictures
      .toSorted((a, b) => place(a) - place(b))
      .map((publication) => ({ publication, height: UNKNOWN_HEIGHT }))
  }

  #tell(member: Member): void {
    const slots = member.peer.slots.map(({ mid, publication }) => ({
      mid,
      peer: publication?.owner ?? null,
      source: publication?.source ?? null,
    }))
    const told = JSON.stringify(slots)
    if (told !== member.told) this.#events.onSlots(this.#id, member.peer.id, member.peer.gen, slots)
    member.told = told
  }
}
