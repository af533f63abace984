/** The chat of the event with its slow mode, and the chat of the hosts. */
import { useCommand, useEvent } from "@gathercue/client/react"
import { Chat } from "../../live/chat.tsx"
import { TextForm } from "../../live/text-form.tsx"
import { useConsoleTexts, useFormats } from "../../texts/language.tsx"
import { whyFailed } from "../../texts/words.ts"
import { Choice } from "../../ui/choice.tsx"
import { FailureNotice } from "../parts/failure.tsx"
import { type ClientProps, type LiveProps, useCan } from "./live-props.ts"

const PACES = [0, 5, 15, 60]
const MS = 1000

const SlowMode = ({ client }: ClientProps) => {
  const { host } = useConsoleTexts()
  const slowMs = useEvent(client, ({ chat }) => chat.slowMs) ?? 0
  const { send, error } = useCommand(client)
  const seconds = Math.round(slowMs / MS)
  const paces = PACES.includes(seconds) ? PACES : [...PACES, seconds]
  return (
    <>
      <Choice
        label={host.slowMode}
        options={paces.map((pace) => [String(pace), pace === 0 ? host.off : host.everySeconds(pace)] as const)}
        value={String(seconds)}
        onChange={(pace) => void send("chat.slow", { perMs: Number(pace) * MS })}
      />
      <FailureNotice error={error} />
    </>
  )
}

const StaffChat = ({ client }: ClientProps) => {
  const texts = useConsoleTexts()
  const { host, live } = texts
  const { time } = useFormats()
  const messages = useEvent(client, ({ chat }) => chat.staff) ?? []
  const { send, isPending, error } = useCommand(client)
  const say = async (text: string) => (await send("chat.send", { to: "staff", text })) !== undefined
  return (
    <section className="panel" aria-label={host.staffChat}>
      <h2>{host.staffChat}</h2>
      <ol aria-label={host.staffChat}>
        {messages.map(({ id, name, text, at }) => (
          <li key={id}>
            <b dir="auto">{name}</b> <span className="quiet">{time(at)}</span> <bdi>{text}</bdi>
          </li>
        ))}
      </ol>
      <TextForm
        label={`${live.message}: ${host.staffChat}`}
        button={texts.send}
        isPending={isPending}
        problem={whyFailed(texts, error)}
        onText={say}
      />
    </section>
  )
}

export const ChatPart = ({ client }: LiveProps) => {
  const maySlow = useCan(client, "chat.slow")
  const hasStaffChat = useEvent(client, ({ me }) => me.chatTo.includes("staff")) ?? false
  return (
    <>
      {maySlow ? <SlowMode client={client} /> : null}
      <div className="split">
        <Chat client={client} />
        {hasStaffChat ? <StaffChat client={client} /> : null}
      </div>
    </>
  )
}
