/** A call on a LiveKit server. */
import {
  isTrackReference,
  LiveKitRoom,
  RoomAudioRenderer,
  useLocalParticipant,
  useTracks,
  VideoTrack,
} from "@livekit/components-react"
import { DisconnectReason, Track } from "livekit-client"
import { useState } from "react"
import { useTexts } from "../../texts/language.tsx"
import { Button } from "../../ui/button.tsx"
import { JoinCall } from "./join-call.tsx"

const SOURCES = [{ source: Track.Source.Camera, withPlaceholder: true }]

const Tiles = () => {
  const { live } = useTexts()
  const tracks = useTracks(SOURCES)
  return (
    <ul className="tiles" aria-label={live.inCall}>
      {tracks.map((track) => (
        <li key={track.participant.identity} className="tile">
          {isTrackReference(track) && !track.publication.isMuted ? (
            <VideoTrack trackRef={track} className={track.participant.isLocal ? "tile-own" : ""} />
          ) : null}
          <span className="tile-name">
            {track.participant.isLocal ? live.yourself : track.participant.name || live.somebody}
            {track.participant.isMicrophoneEnabled ? null : ` (${live.noMicrophone})`}
          </span>
        </li>
      ))}
    </ul>
  )
}

const Controls = ({ onLeave, onTrouble }: { readonly onLeave: () => void; readonly onTrouble: () => void }) => {
  const { live } = useTexts()
  const { localParticipant, isMicrophoneEnabled, isCameraEnabled } = useLocalParticipant()
  return (
    <div className="row">
      <Button
        isPressed={isMicrophoneEnabled}
        onPress={() => void localParticipant.setMicrophoneEnabled(!isMicrophoneEnabled).catch(onTrouble)}
      >
        {live.microphone}
      </Button>
      <Button
        isPressed={isCameraEnabled}
        onPress={() => void localParticipant.setCameraEnabled(!isCameraEnabled).catch(onTrouble)}
      >
        {live.camera}
      </Button>
      <Button look="danger" onPress={onLeave}>
        {live.leaveCall}
      </Button>
    </div>
  )
}

/** The seat is that of the moment of joining: whoever is connected stays so when its token ends. */
interface Seat {
  readonly url: string
  readonly token: string
}

export const ServerCall = (seat: Seat) => {
  const { live } = useTexts()
  const [joined, join] = useState<(Seat & { readonly hasDevices: boolean }) | null>(null)
  const [problem, report] = useState<string | null>(null)
  if (joined === null) {
    return (
      <JoinCall
        problem={problem}
        onJoin={(hasDevices) => {
          report(null)
          join({ ...seat, hasDevices })
        }}
      />
    )
  }
  const end = (why: string | null) => {
    report(why)
    join(null)
  }
  return (
    <LiveKitRoom
      serverUrl={joined.url}
      token={joined.token}
      audio={joined.hasDevices}
      video={joined.hasDevices}
      onError={() => end(live.callProblems.lost)}
      onDisconnected={(reason) => {
        // Leaving is no trouble.
        if (reason !== DisconnectReason.CLIENT_INITIATED) end(live.callProblems.lost)
      }}
      onMediaDeviceFailure={() => report(live.callProblems.noDevice)}
    >
      {problem === null ? null : <p role="alert">{problem}</p>}
      <RoomAudioRenderer />
      <Tiles />
      <Controls onLeave={() => end(null)} onTrouble={() => report(live.callProblems.noDevice)} />
    </LiveKitRoom>
  )
}
