/** The event as it took place, in step with its recording: the people on stage, the chat, the questions and the polls. */
import type { GatewayClient } from "@gathercue/client"
import { useEvent, useGateway } from "@gathercue/client/react"
import { type RefObject, useEffect } from "react"
import { rest, restWith } from "../../api/rest.ts"
import { PhaseBadge } from "../../live/phase-badge.tsx"
import { Captions } from "../../live/stage/captions.tsx"
import { Cast } from "../../live/stage/cast.tsx"
import { useTexts } from "../../texts/language.tsx"
import { Tabs } from "../../ui/tabs.tsx"
import { usePanels } from "../use-panels.tsx"

export interface Replayed {
  readonly eventId: string
  readonly sessionToken: string | undefined
  /** Time of the recording's beginning, in milliseconds since the start of the event. */
  readonly offsetMs: number
}

interface Props extends Replayed {
  readonly video: RefObject<HTMLVideoElement | null>
  readonly hasCaptions: boolean
}

const CHANGES = ["playing", "pause", "waiting", "seeked", "ratechange"] as const
/** Dragging the slider seeks many times. */
const SETTLED_MS = 250
const MOST_SPEED = 16

const placeOf = (video: HTMLVideoElement, offsetMs: number) => ({
  from: video.currentTime * 1000 + offsetMs,
  speed:
    video.paused || video.readyState < HTMLMediaElement.HAVE_FUTURE_DATA ? 0 : Math.min(video.playbackRate, MOST_SPEED),
})

const useInStep = (client: GatewayClient, { video, offsetMs }: Pick<Props, "video" | "offsetMs">): void => {
  useEffect(() => {
    const { current: player } = video
    if (player === null) return
    let waiting: ReturnType<typeof setTimeout> | undefined
    const follow = () => {
      clearTimeout(waiting)
      // A lost connection comes back at the place by itself.
      waiting = setTimeout(() => void client.replay(placeOf(player, offsetMs)).catch(() => {}), SETTLED_MS)
    }
    for (const change of CHANGES) player.addEventListener(change, follow)
    // The person may have moved the player before this was loaded.
    if (player.currentTime > 0) follow()
    return () => {
      clearTimeout(waiting)
      for (const change of CHANGES) player.removeEventListener(change, follow)
    }
  }, [client, video, offsetMs])
}

export const History = ({ eventId, sessionToken, offsetMs, video, hasCaptions }: Props) => {
  const { attendee } = useTexts()
  const api = sessionToken === undefined ? rest : restWith(sessionToken)
  const client = useGateway({
    key: `${eventId} ${sessionToken ?? ""}`,
    token: () => api.createGatewayToken({ payload: { eventId, replay: true } }),
    replay: { from: offsetMs, speed: 0 },
    name: "web",
  })
  useInStep(client, { video, offsetMs })
  const panels = usePanels(client, false)
  const isThere = useEvent(client, () => true) ?? false
  if (!isThere) return null
  return (
    <section className="stack" aria-label={attendee.history}>
      <div className="row">
        <h2>{attendee.history}</h2>
        <PhaseBadge client={client} />
      </div>
      <Cast client={client} />
      {hasCaptions ? null : <Captions client={client} />}
      {panels.length === 0 ? null : <Tabs label={attendee.panels} tabs={panels} />}
    </section>
  )
}
