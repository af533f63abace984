/** A call between the browsers of a room. It follows the person from room to room. */
import type { GatewayClient } from "@gathercue/client"
import type { MediaPeer } from "@gathercue/client/media"
import { useEffect, useState, useSyncExternalStore } from "react"
import { useTexts } from "../../texts/language.tsx"
import { ProblemNotice } from "../../ui/notice.tsx"
import { CallControls, CallPanel, CallProgress } from "./call-controls.tsx"
import { sessionsOf } from "./call-session.ts"
import { JoinCall } from "./join-call.tsx"
import { meshLineOf } from "./mesh-line.ts"
import { Tile } from "./tile.tsx"

const sessionOf = sessionsOf(meshLineOf)

const PeerTile = ({ peer }: { readonly peer: MediaPeer }) => {
  const { live } = useTexts()
  const muteness = peer.have.audio ? null : live.noMicrophone
  const remark = peer.state === "connected" ? muteness : live.peerConnecting
  return (
    <Tile
      name={peer.name}
      // The client is compiled without browser types.
      stream={peer.stream as MediaStream | null}
      hasPicture={peer.have.video && peer.stream !== null}
      remark={remark}
    />
  )
}

export const MeshCall = ({ client, isSeated }: { readonly client: GatewayClient; readonly isSeated: boolean }) => {
  const { live } = useTexts()
  const [session] = useState(() => sessionOf(client))
  const view = useSyncExternalStore(session.subscribe, session.read)
  const { state, people, picture, problem } = view
  useEffect(() => () => session.leave(), [session])
  const trouble = problem === null ? null : live.callProblems[problem]
  if (state === "off") {
    if (!isSeated) return null
    return (
      <CallPanel>
        <JoinCall problem={trouble} onJoin={(hasDevices) => void session.join(hasDevices)} />
      </CallPanel>
    )
  }
  return (
    <CallPanel>
      <ProblemNotice>{trouble}</ProblemNotice>
      <CallProgress session={session} view={view} />
      <ul className="tiles" aria-label={live.inCall}>
        <Tile name={live.yourself} stream={picture} hasPicture={picture !== null} isOwn />
        {people.map((peer) => (
          <PeerTile key={peer.connectionId} peer={peer} />
        ))}
      </ul>
      <CallControls session={session} view={view} />
    </CallPanel>
  )
}
