/** Tells the phases and polls that begin while the page is open, for a minute: a poll may open behind another panel. */
import type { GatewayClient } from "@gathercue/client"
import { useDispatch } from "@gathercue/client/react"
import { useEffect, useState } from "react"
import { useTexts } from "../texts/language.tsx"

const SHOWN_MS = 60_000
const NONE = { text: "" }

export const News = ({ client }: { readonly client: GatewayClient }) => {
  const { live } = useTexts()
  const [news, tell] = useState(NONE)
  useDispatch(client, "phase.started", ({ phase }) => tell({ text: live.phaseBegins(live.modality[phase.modality]) }))
  useDispatch(client, "poll.opened", ({ poll }) => tell({ text: live.pollOpens(poll.question) }))
  useEffect(() => {
    if (news === NONE) return undefined
    const timer = setTimeout(() => tell(NONE), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [news])
  // A screen reader reads out only changes of an existing element, so it exists without news too.
  return (
    <p role="status" className={news.text === "" ? "visually-hidden" : "notice"}>
      {news.text}
    </p>
  )
}
