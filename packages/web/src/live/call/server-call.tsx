/** A call on a LiveKit server. It follows the person from room to room. */
import type { GatewayClient } from "@gathercue/client"
import { isTrackReference, RoomAudioRenderer, RoomContext, useTracks, VideoTrack } from "@livekit/components-react"
import { Track } from "livekit-client"
import { useEffect, useState, useSyncExternalStore } from "react"
import { useTexts } from "../../texts/language.tsx"
import { ProblemNotice } from "../../ui/notice.tsx"
import { CallControls, CallPanel, CallProgress } from "./call-controls.tsx"
import { sessionsOf } from "./call-session.ts"
import { JoinCall } from "./join-call.tsx"
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

export const ServerCall = ({ client, isSeated }: { readonly client: GatewayClient; readonly isSeated: boolean }) => {
  const { live } = useTexts()
  const [session] = useState(() => sessionOf(client))
  const view = useSyncExternalStore(session.subscribe, session.read)
  const { state, people: room, problem } = view
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
      {room === null ? null : (
        <RoomContext.Provider value={room}>
          <RoomAudioRenderer />
          <Tiles />
        </RoomContext.Provider>
      )}
      <CallControls session={session} view={view} />
    </CallPanel>
  )
}
