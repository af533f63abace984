/** The chat of the event. */
import type { GatewayClient } from "@gathercue/client"
import { useCommand, useEvent } from "@gathercue/client/react"
import { useFormats, useTexts } from "../texts/language.tsx"
import { whyFailed } from "../texts/words.ts"
import { TextForm } from "./text-form.tsx"

export const Chat = ({ client }: { readonly client: GatewayClient }) => {
  const texts = useTexts()
  const { live } = texts
  const { time } = useFormats()
  const messages = useEvent(client, ({ chat }) => chat.event) ?? []
  const mayWrite = useEvent(client, ({ me }) => me.chatTo.includes("event")) ?? false
  const { send, isPending, error } = useCommand(client)
  const say = async (text: string) => (await send("chat.send", { to: "event", text })) !== undefined
  return (
    <section className="panel" aria-label={live.chat}>
      <h2>{live.chat}</h2>
      {messages.length === 0 ? <p className="quiet">{live.chatEmpty}</p> : null}
      <ol aria-label={live.chat}>
        {messages.map(({ id, name, text, at }) => (
          <li key={id}>
            <b>{name}</b> <span className="quiet">{time(at)}</span> {text}
          </li>
        ))}
      </ol>
      {mayWrite ? (
        <TextForm
          label={live.message}
          button={texts.send}
          isPending={isPending}
          problem={whyFailed(texts, error)}
          onText={say}
        />
      ) : (
        <p className="quiet">{live.readOnly}</p>
      )}
    </section>
  )
}
