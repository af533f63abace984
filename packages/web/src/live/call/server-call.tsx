/** A call on a LiveKit server. It follows the person from room to room. */
import {
  isTrackReference,
  RoomAudioRenderer,
  RoomContext,
  type TrackReferenceOrPlaceholder,
  useIsSpeaking,
  useTracks,
  VideoTrack,
} from "@livekit/components-react"
import { Track } from "livekit-client"
import { useTexts } from "../../texts/language.tsx"
import { CallFrame, type CallProps } from "./call-frame.tsx"
import { sessionsOf } from "./call-session.ts"
import { serverLineOf } from "./server-line.ts"
import { TileFrame } from "./tile.tsx"

const sessionOf = sessionsOf(serverLineOf)

const SOURCES = [{ source: Track.Source.Camera, withPlaceholder: true }]

const PersonTile = ({
  track,
  isSharing,
}: {
  readonly track: TrackReferenceOrPlaceholder
  readonly isSharing: boolean
}) => {
  const { live } = useTexts()
  const { participant } = track
  const isSpeaking = useIsSpeaking(participant)
  const { isLocal, name: given, isMicrophoneEnabled } = participant
  const name = isLocal ? live.yourself : given || live.somebody
  const hasPicture = isTrackReference(track) && !track.publication.isMuted
  return (
    <TileFrame
      name={name}
      hasPicture={hasPicture}
      isSpeaking={isSpeaking}
      remark={isMicrophoneEnabled ? null : live.noMicrophone}
    >
      {hasPicture ? (
        <VideoTrack trackRef={track} aria-label={name} className={isLocal && !isSharing ? "tile-own" : ""} />
      ) : null}
    </TileFrame>
  )
}

const Tiles = ({ isSharing }: { readonly isSharing: boolean }) => {
  const { live } = useTexts()
  const tracks = useTracks(SOURCES)
  return (
    <ul className="tiles" aria-label={live.inCall}>
      {tracks.map((track) => (
        <PersonTile key={track.participant.identity} track={track} isSharing={isSharing} />
      ))}
    </ul>
  )
}

export const ServerCall = (props: CallProps) => (
  <CallFrame {...props} sessionOf={sessionOf}>
    {({ people: room, isSharing }) =>
      room === null ? null : (
        <RoomContext.Provider value={room}>
          <RoomAudioRenderer />
          <Tiles isSharing={isSharing} />
        </RoomContext.Provider>
      )
    }
  </CallFrame>
)
