/** The links of a call without a media server: one to each peer that the server lists. */
import { type ListedPeer, linkChanges, type PeerList } from "./call-rules.ts"
import type { CallLinks, IncomingSignal, LinksNeeds } from "./links.ts"
import type { TrackKind } from "./local-tracks.ts"
import { PeerLink } from "./peer-link.ts"
import type { TrackLike } from "./web-rtc.ts"

interface Linked {
  readonly peer: ListedPeer
  readonly link: PeerLink
}

export class MeshLinks implements CallLinks {
  readonly #needs: LinksNeeds
  readonly #links = new Map<string, Linked>()
  #list: PeerList | undefined

  constructor(needs: LinksNeeds) {
    this.#needs = needs
  }

  get peers() {
    return Array.from(this.#links.values(), ({ peer, link }) => ({
      ...peer,
      state: link.state === "waiting" ? ("connecting" as const) : link.state,
      stream: link.stream,
    }))
  }

  start(): void {
    // Each list says whom to connect to.
  }

  take(list: PeerList): void {
    const { close, open } = linkChanges([...this.#links.keys()], list, this.#needs.ownId)
    for (const id of close) {
      this.#links.get(id)?.link.close()
      this.#links.delete(id)
    }
    this.#list = list
    for (const peer of list.peers) {
      const linked = this.#links.get(peer.connectionId)
      if (linked !== undefined) this.#links.set(peer.connectionId, { ...linked, peer })
    }
    // A listener may stop the call at each of its events.
    for (const peer of open) if (this.#list === list) this.#linkTo(peer)
    if (this.#list === list) for (const { link } of this.#links.values()) link.applyLimits()
  }

  receive(signal: IncomingSignal): void {
    if (signal.kind !== "slots") this.#links.get(signal.from)?.link.receive(signal)
  }

  setTrack(kind: TrackKind, track: TrackLike | null): void {
    for (const { link } of this.#links.values()) link.setTrack(kind, track)
  }

  show(): void {
    // Each browser sends one picture, whose size follows from the number of people.
  }

  resumed(): void {
    for (const { link } of this.#links.values()) link.resumed()
  }

  close(): void {
    this.#list = undefined
    for (const { link } of this.#links.values()) link.close()
    this.#links.clear()
  }

  #linkTo(peer: ListedPeer): void {
    const { connectionId: peerId } = peer
    const link = new PeerLink({
      ...this.#needs,
      peerId,
      limits: () => this.#list?.limits,
      expectsVideo: () => this.#links.get(peerId)?.peer.have.video ?? false,
    })
    this.#links.set(peerId, { peer, link })
    link.start()
  }
}
