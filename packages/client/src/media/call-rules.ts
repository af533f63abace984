/** Pure rules of a call: the room of a participant, the changes of a list of peers, and what a sender may send. */

import type { MediaSeat, RtcLimits, RtcTracks } from "../contract/types.ts"
import type { EventState } from "../state/event-state.ts"
import type { DispatchData } from "../wire.ts"

export type PeerList = DispatchData<"rtc.peers">
export type ListedPeer = PeerList["peers"][number]

/** Seat in the participant's current room; null when there is none, or the room's dispatch has not arrived yet. */
export const presentSeat = ({ me, media, rooms }: Pick<EventState, "me" | "media" | "rooms">): MediaSeat | null => {
  if (me.roomId === null) return media
  const place = [rooms.assignment, rooms.round].find((one) => one?.roomId === me.roomId)
  return place?.media ?? null
}

/** Links to close, and peers to link to. A list under another own id is another call: nothing of the previous one stays. */
export const linkChanges = (
  linked: ReadonlyArray<string>,
  { connectionId, peers }: Pick<PeerList, "connectionId" | "peers">,
  ownId: string | undefined,
): { readonly close: ReadonlyArray<string>; readonly open: ReadonlyArray<ListedPeer> } => {
  const isSameCall = ownId === connectionId
  const others = peers.filter((peer) => peer.connectionId !== connectionId)
  const isListed = (id: string): boolean => others.some((peer) => peer.connectionId === id)
  return {
    close: linked.filter((id) => !(isSameCall && isListed(id))),
    open: others.filter((peer) => !(isSameCall && linked.includes(peer.connectionId))),
  }
}

export const isSameTracks = (a: RtcTracks | undefined, b: RtcTracks): boolean =>
  a?.audio === b.audio && a.video === b.video

const BITS_PER_KBIT = 1000

/** Encoding parameters of a sender's picture. `captured` is the size of the camera's picture. */
export const pictureEncoding = (
  limit: RtcLimits["video"],
  { width = 0, height = 0 }: { readonly width?: number; readonly height?: number },
) =>
  limit === null
    ? { active: false }
    : {
        active: true,
        maxBitrate: limit.maxKbps * BITS_PER_KBIT,
        maxFramerate: limit.frameRate,
        scaleResolutionDownBy: Math.max(1, width / limit.width, height / limit.height),
      }

export const soundEncoding = ({ audio }: RtcLimits) => ({ maxBitrate: audio.maxKbps * BITS_PER_KBIT })

/** Step after a refused `rtc.join`: another attempt after a while, or none until something changes. */
export const afterRefusal = (code: string): "retry" | "full" | "wait" => {
  if (code === "conflict") return "full"
  return ["not_found", "unavailable", "rate_limited"].includes(code) ? "retry" : "wait"
}
