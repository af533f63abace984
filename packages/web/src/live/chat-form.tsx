/** Form for writing to one chat target. */
import type { ChatTarget, GatewayClient } from "@gathercue/client"
import { useCommand, useEvent } from "@gathercue/client/react"
import { useTexts } from "../texts/language.tsx"
import { whyFailed } from "../texts/words.ts"
import { useIsLocked } from "./host-absence.tsx"
import { TextForm } from "./text-form.tsx"

export const ChatForm = ({ client, place }: { readonly client: GatewayClient; readonly place: ChatTarget }) => {
  const texts = useTexts()
  const { live } = texts
  const mayWrite = useEvent(client, ({ me }) => me.chatTo.includes(place)) ?? false
  const isMuted = useEvent(client, ({ muted }) => muted !== null) ?? false
  const slowMs = useEvent(client, ({ chat }) => chat.slowMs) ?? 0
  const isLocked = useIsLocked(client)
  const { send, isPending, error } = useCommand(client)
  // The attendee's room tells the reason beside every panel.
  if (isMuted) return <p className="quiet">{live.readOnly}</p>
  if (isLocked) return <p className="quiet">{live.hostAbsence.locked}</p>
  if (!mayWrite) return <p className="quiet">{live.readOnly}</p>
  return (
    <TextForm
      label={live.message}
      button={texts.send}
      isPending={isPending}
      problem={whyFailed(texts, error)}
      draft={`chat ${place}`}
      onText={async (text) => (await send("chat.send", { to: place, text })) !== undefined}
      {...(slowMs === 0 ? {} : { hint: live.slow(Math.ceil(slowMs / 1000)) })}
    />
  )
}
