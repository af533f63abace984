/** A call on a LiveKit server. It follows the person from room to room. */
import { isTrackReference, RoomAudioRenderer, RoomContext, useTracks, VideoTrack } from "@livekit/components-react"
import { Track } from "livekit-client"
import { useTexts } from "../../texts/language.tsx"
import { CallFrame, type CallProps } from "./call-frame.tsx"
import { sessionsOf } from "./call-session.ts"
import { serverLineOf } from "./server-line.ts"

const sessionOf = sessionsOf(serverLineOf)

const SOURCES = [{ source: Track.Source.Camera, withPlaceholder: true }]

const Tiles = () => {
  const { live } = useTexts()
  const tracks = useTracks(SOURCES)
  return (
    <ul className="tiles" aria-label={live.inCall}>
      {tracks.map((track) => {
        const { isLocal, identity, name: given, isMicrophoneEnabled } = track.participant
        const name = isLocal ? live.yourself : given || live.somebody
        return (
          <li key={identity} className="tile">
            {isTrackReference(track) && !track.publication.isMuted ? (
              <VideoTrack trackRef={track} aria-label={name} className={isLocal ? "tile-own" : ""} />
            ) : null}
            <span className="tile-name">
              <bdi>{name}</bdi>
              {isMicrophoneEnabled ? null : ` (${live.noMicrophone})`}
            </span>
          </li>
        )
      })}
    </ul>
  )
}

export const ServerCall = (props: CallProps) => (
  <CallFrame {...props} sessionOf={sessionOf}>
    {({ people: room }) =>
      room === null ? null : (
        <RoomContext.Provider value={room}>
          <RoomAudioRenderer />
          <Tiles />
        </RoomContext.Provider>
      )
    }
  </CallFrame>
)
