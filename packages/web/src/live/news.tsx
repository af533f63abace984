/** Announces to screen readers the phases and polls that begin while the page is open; others see them at a glance. */
import type { GatewayClient } from "@gathercue/client"
import { useDispatch } from "@gathercue/client/react"
import { useState } from "react"
import { useTexts } from "../texts/language.tsx"

export const News = ({ client }: { readonly client: GatewayClient }) => {
  const { live } = useTexts()
  const [news, tell] = useState("")
  useDispatch(client, "phase.started", ({ phase }) => tell(live.phaseBegins(live.modality[phase.modality])))
  useDispatch(client, "poll.opened", ({ poll }) => tell(live.pollOpens(poll.question)))
  // A screen reader reads out only changes of an existing element, so it exists without news too.
  return (
    <p role="status" className="visually-hidden">
      {news}
    </p>
  )
}
