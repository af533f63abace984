/** Broadcast of the event, if the phase is one. */
import { activePhase, type BroadcastView, type GatewayClient } from "@gathercue/client"
import { useEvent } from "@gathercue/client/react"
import { useTexts } from "../../texts/language.tsx"
import { Cast } from "./cast.tsx"
import { Player } from "./player.tsx"
import "../live.css"
import "./stage.css"

interface Props {
  readonly client: GatewayClient
  /** While a person sends, their microphone would pick up the sound of the stage and send it again. */
  readonly isMuted: boolean
}

const Picture = ({ broadcast, isMuted }: Pick<Props, "isMuted"> & { readonly broadcast: BroadcastView | null }) => {
  const { live } = useTexts()
  const { status, playbackUrl } = broadcast ?? { status: "idle", playbackUrl: null }
  if (status === "ended")
    return (
      <p role="status" className="stage-empty">
        {live.broadcastEnded}
      </p>
    )
  if (status === "idle" || playbackUrl === null)
    return (
      <p role="status" className="stage-empty">
        {live.noPicture}
      </p>
    )
  return (
    <>
      <p role="status">{status === "paused" ? live.paused : null}</p>
      <Player label={live.stage} url={playbackUrl} isLive isMuted={isMuted} />
    </>
  )
}

export const Stage = ({ client, isMuted }: Props) => {
  const { live } = useTexts()
  const isBroadcast = useEvent(client, (state) => activePhase(state)?.modality === "broadcast") ?? false
  const broadcast = useEvent(client, (state) => state.broadcast) ?? null
  if (!isBroadcast) return null
  return (
    <section className="panel stage on-dark" aria-label={live.stage}>
      <Picture broadcast={broadcast} isMuted={isMuted} />
      <Cast client={client} />
    </section>
  )
}
