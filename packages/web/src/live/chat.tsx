/** Chat of the event, of the person's room, and of the people on stage. */
import {
  type ChatMessageView,
  type ChatTarget,
  CommandRefused,
  type EventState,
  type GatewayClient,
} from "@gathercue/client"
import { useCommand, useEvent } from "@gathercue/client/react"
import { useCallback, useState } from "react"
import { useTexts } from "../texts/language.tsx"
import { whyFailed } from "../texts/words.ts"
import { Button } from "../ui/button.tsx"
import { ProblemNotice } from "../ui/notice.tsx"
import { ChatForm } from "./chat-form.tsx"
import { ChatList } from "./chat-list.tsx"
import { NewestMessage } from "./newest-message.tsx"
import { usePacedEvent } from "./use-paced-event.ts"

interface Props {
  readonly client: GatewayClient
}

const PLACES: ReadonlyArray<ChatTarget> = ["room", "event", "staff"]

/** Chat targets that this person may read, nearest first. */
const usePlaces = (client: GatewayClient): ReadonlyArray<ChatTarget> =>
  useEvent(client, ({ me, chat }) =>
    PLACES.filter((place) => {
      if (place === "event") return true
      if (place === "room") return me.roomId !== null
      return me.chatTo.includes("staff") || chat.staff.length > 0
    }),
  ) ?? ["event"]

const NO_MESSAGES: ReadonlyArray<ChatMessageView> = []

export const Chat = ({ client }: Props) => {
  const texts = useTexts()
  const { live } = texts
  const places = usePlaces(client)
  const [chosen, choose] = useState<ChatTarget | null>(null)
  const place = places.find((one) => one === chosen) ?? places[0] ?? "event"
  const ofPlace = useCallback(({ chat }: EventState) => chat[place], [place])
  const messages = usePacedEvent(client, ofPlace) ?? NO_MESSAGES
  const me = useEvent(client, ({ me: { participantId, can } }) => (can.includes("chat.delete") ? participantId : null))
  const { send, error } = useCommand(client)
  const mayDelete = useCallback(({ participantId }: ChatMessageView) => participantId === me, [me])
  const remove = useCallback(({ id }: ChatMessageView) => void send("chat.delete", { id }), [send])
  // A message that is already gone is what the person wanted.
  const problem = error instanceof CommandRefused && error.code === "not_found" ? null : error
  return (
    <section className="panel stack" aria-label={live.chat}>
      <h2 className="visually-hidden">{live.chat}</h2>
      {places.length === 1 ? null : (
        <div className="row">
          {places.map((one) => (
            <Button key={one} isPressed={one === place} onPress={() => choose(one)}>
              {live.places[one]}
            </Button>
          ))}
        </div>
      )}
      {messages.length === 0 ? (
        <p className="quiet">{live.chatEmpty}</p>
      ) : (
        <ChatList
          key={place}
          label={places.length === 1 ? live.chat : `${live.chat}, ${live.places[place]}`}
          messages={messages}
          mayDelete={mayDelete}
          onDelete={remove}
        />
      )}
      <NewestMessage key={`newest ${place}`} messages={messages} />
      <ProblemNotice>{whyFailed(texts, problem)}</ProblemNotice>
      <ChatForm key={`form ${place}`} client={client} place={place} />
    </section>
  )
}
