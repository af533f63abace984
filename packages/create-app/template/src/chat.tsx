import type { GatewayClient } from "@gathercue/client"
import { useCommand, useEvent } from "@gathercue/client/react"
import { TextForm } from "./text-form.tsx"
import { whyRefused } from "./words.ts"

export const Chat = ({ client }: { readonly client: GatewayClient }) => {
  const messages = useEvent(client, ({ chat }) => chat.event) ?? []
  // The role and the phase allow these commands now: a form that would be refused is not shown.
  const mayWrite = useEvent(client, ({ me }) => me.chatTo.includes("event"))
  const { send, isPending, error } = useCommand(client)
  const say = async (text: string) => (await send("chat.send", { to: "event", text })) !== undefined
  return (
    <section aria-label="Chat">
      <h2>Chat</h2>
      <ol>
        {messages.map(({ id, name, text }) => (
          <li key={id}>
            <b>{name}</b> {text}
          </li>
        ))}
      </ol>
      {mayWrite ? (
        <TextForm label="Message" button="Send" isPending={isPending} problem={whyRefused(error)} onText={say} />
      ) : (
        <p>Chat is read-only for you.</p>
      )}
    </section>
  )
}
