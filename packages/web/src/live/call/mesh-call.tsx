/** A call between the browsers of a room, or through the media server of this server. It follows the person from room to room. */
import type { GatewayClient } from "@gathercue/client"
import type { MediaPeer } from "@gathercue/client/media"
import { type CommandSender, useCommand } from "@gathercue/client/react"
import { useCallback, useRef } from "react"
import type { Texts } from "../../texts/en.ts"
import { useTexts } from "../../texts/language.tsx"
import { CallFrame, type CallProps } from "./call-frame.tsx"
import { type CallSession, type CallView, sessionsOf } from "./call-session.ts"
import { PersonControls, RoomControls, useMayMute } from "./host-controls.tsx"
import { meshLineOf } from "./mesh-line.ts"
import { Tile } from "./tile.tsx"

const soundRemark = (live: Texts["live"], { have, muted }: MediaPeer): string | null => {
  if (muted?.includes("microphone")) return live.mutedForAll
  return have.audio ? null : live.noMicrophone
}

const sessionOf = sessionsOf(meshLineOf)

interface PeerTileProps {
  /** Null for people who are no hosts. */
  readonly command: CommandSender | null
  readonly peer: MediaPeer
  readonly onHeight: (connectionId: string, height: number | null) => void
}

const PeerTile = ({ command, peer, onHeight }: PeerTileProps) => {
  const { live } = useTexts()
  // The client is compiled without browser types.
  const stream = peer.stream as MediaStream | null
  const told = useCallback(
    (height: number | null) => onHeight(peer.connectionId, height),
    [onHeight, peer.connectionId],
  )
  const muteness = soundRemark(live, peer)
  const remark = peer.state === "connected" ? muteness : live.peerConnecting
  return (
    <Tile
      name={peer.name}
      stream={stream}
      // Of a person without a place only the sound comes, or nothing.
      hasPicture={peer.have.video && (stream?.getVideoTracks().length ?? 0) > 0}
      remark={remark}
      onHeight={told}
      controls={command === null ? null : <PersonControls command={command} peer={peer} />}
    />
  )
}

interface TilesProps {
  readonly client: GatewayClient
  readonly view: CallView<ReadonlyArray<MediaPeer>>
  readonly session: CallSession<ReadonlyArray<MediaPeer>>
}

const Tiles = ({ view: { people, picture, microphone, isSharing }, session, client }: TilesProps) => {
  const { live } = useTexts()
  const mayMute = useMayMute(client)
  const sender = useCommand(client)
  const command = mayMute ? sender : null
  const heights = useRef(new Map<string, number>())
  const onHeight = useCallback(
    (connectionId: string, height: number | null) => {
      if (height === null) heights.current.delete(connectionId)
      else heights.current.set(connectionId, height)
      session.show(heights.current)
    },
    [session],
  )
  return (
    <>
      <ul className="tiles" aria-label={live.inCall}>
        <Tile
          name={live.yourself}
          stream={picture}
          sound={microphone}
          hasPicture={picture !== null}
          whose={isSharing ? "screen" : "own"}
        />
        {people.map((peer) => (
          <PeerTile key={peer.connectionId} command={command} peer={peer} onHeight={onHeight} />
        ))}
      </ul>
      {command === null ? null : <RoomControls command={command} people={people} />}
    </>
  )
}

export const MeshCall = (props: CallProps) => (
  <CallFrame {...props} sessionOf={sessionOf}>
    {(view, session) => <Tiles client={props.client} view={view} session={session} />}
  </CallFrame>
)
