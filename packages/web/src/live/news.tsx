/** For screen readers: what begins while this page is open, and is elsewhere seen at a glance. */
import type { GatewayClient } from "@gathercue/client"
import { useDispatch } from "@gathercue/client/react"
import { useState } from "react"
import { useTexts } from "../texts/language.tsx"

export const News = ({ client }: { readonly client: GatewayClient }) => {
  const { live } = useTexts()
  const [news, tell] = useState("")
  useDispatch(client, "phase.started", ({ phase }) => tell(live.phaseBegins(live.modality[phase.modality])))
  useDispatch(client, "poll.opened", ({ poll }) => tell(live.pollOpens(poll.question)))
  // The element is there before there is any: only then a screen reader says it.
  return (
    <p role="status" className="visually-hidden">
      {news}
    </p>
  )
}
