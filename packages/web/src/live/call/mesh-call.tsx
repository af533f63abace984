/** A call between the browsers of a room. It follows the person from room to room. */
import type { MediaPeer } from "@gathercue/client/media"
import { useTexts } from "../../texts/language.tsx"
import { CallFrame, type CallProps } from "./call-frame.tsx"
import { sessionsOf } from "./call-session.ts"
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

export const MeshCall = (props: CallProps) => {
  const { live } = useTexts()
  return (
    <CallFrame {...props} sessionOf={sessionOf}>
      {({ people, picture, microphone, isSharing }) => (
        <ul className="tiles" aria-label={live.inCall}>
          <Tile
            name={live.yourself}
            stream={picture}
            sound={microphone}
            hasPicture={picture !== null}
            whose={isSharing ? "screen" : "own"}
          />
          {people.map((peer) => (
            <PeerTile key={peer.connectionId} peer={peer} />
          ))}
        </ul>
      )}
    </CallFrame>
  )
}
