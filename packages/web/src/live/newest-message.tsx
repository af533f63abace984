/** The last message since the chat was opened, for screen readers. */
import type { ChatMessageView } from "@gathercue/client"
import { useState } from "react"

export const NewestMessage = ({ messages }: { readonly messages: ReadonlyArray<ChatMessageView> }) => {
  const [known] = useState(messages.at(-1)?.id)
  const newest = messages.at(-1)
  return (
    <p role="log" className="visually-hidden">
      {newest === undefined || newest.id === known ? null : `${newest.name}: ${newest.text}`}
    </p>
  )
}
