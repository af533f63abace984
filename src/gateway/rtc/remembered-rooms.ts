/** A node's memory of the rooms of its peers: the longest list of an open socket, and all of the node's own peers. */

import type { CallPeer } from "../../actors/calls/call.ts"
import type { RememberedRoom } from "../../actors/calls/call-request.ts"

/** A peer of this node, with the list last sent to it. */
interface OwnPeer extends CallPeer {
  readonly roomId: string
  readonly socket: number
  readonly graceMs: number | null
  readonly peers: ReadonlyArray<CallPeer>
}

/** Lists go to all open sockets of a room at once, so they are equal unless messages were lost; those of lost sockets are outdated. */
const listOf = (own: ReadonlyArray<OwnPeer>): ReadonlyArray<CallPeer> =>
  own
    .filter(({ graceMs }) => graceMs === null)
    .map(({ peers }) => peers)
    .reduce((longest, list) => (list.length > longest.length ? list : longest), [])

const remembered = (roomId: string, own: ReadonlyArray<OwnPeer>): RememberedRoom => {
  const listed = listOf(own)
  const byId = new Map(
    own.map(({ connectionId, participantId, name, have, socket, graceMs }) => {
      // The last list of a lost socket is outdated: a host may have muted its person since, or ended that.
      const { muted } = listed.find((peer) => peer.connectionId === connectionId) ?? {}
      const entry = { connectionId, participantId, name, have, ...(muted !== undefined && { muted }) }
      return [connectionId, { ...entry, own: { socket, graceMs } }]
    }),
  )
  const isListed = new Set(listed.map(({ connectionId }) => connectionId))
  return {
    roomId,
    peers: [
      ...listed.map((peer) => byId.get(peer.connectionId) ?? peer),
      ...[...byId.values()].filter(({ connectionId }) => !isListed.has(connectionId)),
    ],
  }
}

export const rememberedRooms = (own: ReadonlyArray<OwnPeer>): ReadonlyArray<RememberedRoom> => {
  const byRoom = new Map<string, OwnPeer[]>()
  for (const peer of own) {
    const peers = byRoom.get(peer.roomId) ?? []
    byRoom.set(peer.roomId, peers)
    peers.push(peer)
  }
  return Array.from(byRoom, ([roomId, peers]) => remembered(roomId, peers))
}
