/** Current phase of the event, and its remaining time. */
import { activePhase, type GatewayClient } from "@gathercue/client"
import { useCountdown, useEvent } from "@gathercue/client/react"
import { useTexts } from "../texts/language.tsx"
import { clockOf } from "../texts/words.ts"

export const PhaseBadge = ({ client }: { readonly client: GatewayClient }) => {
  const { live } = useTexts()
  const phase = useEvent(client, activePhase)
  const timer = useEvent(client, ({ timers }) => timers.find(({ scope }) => scope === "phase"))
  const seconds = useCountdown(client, timer)
  return (
    <span className="badge">
      {phase === undefined ? live.between : live.modality[phase.modality]}
      {seconds === null ? null : `, ${live.left(clockOf(seconds))}`}
    </span>
  )
}
