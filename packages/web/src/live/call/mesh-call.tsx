/** A call between the browsers of a room. It follows the person from room to room. */
import type { GatewayClient } from "@gathercue/client"
import type { MediaPeer } from "@gathercue/client/media"
import { useEffect, useState, useSyncExternalStore } from "react"
import { useTexts } from "../../texts/language.tsx"
import { Button } from "../../ui/button.tsx"
import { Problem } from "../../ui/notice.tsx"
import { CallSession } from "./call-session.ts"
import { JoinCall } from "./join-call.tsx"
import { Tile } from "./tile.tsx"

const sessions = new WeakMap<GatewayClient, CallSession>()

/** A call listens to its client for as long as the client lives: there is one for each. */
const sessionOf = (client: GatewayClient): CallSession => {
  const session = sessions.get(client) ?? new CallSession(client)
  sessions.set(client, session)
  return session
}

const PeerTile = ({ peer }: { readonly peer: MediaPeer }) => {
  const { live } = useTexts()
  const muteness = peer.have.audio ? null : live.noMicrophone
  const remark = peer.state === "connected" ? muteness : live.peerConnecting
  return (
    <Tile
      name={peer.name}
      // The client is compiled without the types of browsers.
      stream={peer.stream as MediaStream | null}
      hasPicture={peer.have.video && peer.stream !== null}
      remark={remark}
    />
  )
}

export const MeshCall = ({ client, isSeated }: { readonly client: GatewayClient; readonly isSeated: boolean }) => {
  const { live, retry } = useTexts()
  const [session] = useState(() => sessionOf(client))
  const view = useSyncExternalStore(session.subscribe, session.read)
  const { state, peers, picture, isMuted, hasMicrophone, problem } = view
  useEffect(() => () => session.leave(), [session])
  const trouble = problem === null ? null : live.callProblems[problem]
  if (state === "off") {
    return isSeated ? <JoinCall problem={trouble} onJoin={(hasDevices) => void session.join(hasDevices)} /> : null
  }
  return (
    <>
      <Problem>{trouble}</Problem>
      {state === "refused" ? <Button onPress={() => session.retry()}>{retry}</Button> : null}
      {state === "waiting" || state === "joining" ? <p role="status">{live.callWaits}</p> : null}
      <ul className="tiles" aria-label={live.inCall}>
        <Tile name={live.yourself} stream={picture} hasPicture={picture !== null} isOwn />
        {peers.map((peer) => (
          <PeerTile key={peer.connectionId} peer={peer} />
        ))}
      </ul>
      <div className="row">
        <Button isPressed={hasMicrophone && !isMuted} onPress={() => void session.toggleMicrophone()}>
          {live.microphone}
        </Button>
        <Button isPressed={picture !== null} onPress={() => void session.toggleCamera()}>
          {live.camera}
        </Button>
        <Button look="danger" onPress={() => session.leave()}>
          {live.leaveCall}
        </Button>
      </div>
    </>
  )
}
