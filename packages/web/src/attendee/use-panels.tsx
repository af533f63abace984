/** Panels that the event currently has for this person. */
import { activePhase, type EventState, type GatewayClient } from "@gathercue/client"
import { useEvent } from "@gathercue/client/react"
import { useState } from "react"
import { Chat } from "../live/chat.tsx"
import { Polls } from "../live/polls.tsx"
import { QuestionsPanel } from "../live/questions.tsx"
import { usePacedEvent } from "../live/use-paced-event.ts"
import { useTexts } from "../texts/language.tsx"

interface Panel {
  readonly id: PanelId
  readonly title: React.ReactNode
  readonly content: React.ReactNode
}

export type PanelId = "chat" | "questions" | "polls"

const has = (state: EventState, id: PanelId): boolean => {
  const { me, chat, questions, polls } = state
  const features = activePhase(state)?.featureSet ?? []
  switch (id) {
    case "chat":
      return features.includes("chat") || chat.event.length + chat.room.length > 0
    case "questions":
      return features.includes("qa") || me.can.includes("question.ask") || questions.all.length > 0
    case "polls":
      return features.includes("polls") || polls.all.some(({ status }) => status !== "draft")
  }
}

const NONE: ReadonlyArray<PanelId> = []

const newestOfEvent = ({ chat }: EventState) => chat.event.at(-1)
const newestOfRoom = ({ chat }: EventState) => chat.room.at(-1)
const newestOfStaff = ({ chat }: EventState) => chat.staff.at(-1)

/** The title of the chat, with the number of messages of others that came since it was last shown. */
const ChatTitle = ({ client, isShown }: { readonly client: GatewayClient; readonly isShown: boolean }) => {
  const { live } = useTexts()
  const last = [
    usePacedEvent(client, newestOfEvent)?.at ?? "",
    usePacedEvent(client, newestOfRoom)?.at ?? "",
    usePacedEvent(client, newestOfStaff)?.at ?? "",
  ].toSorted()
  const now = last.at(-1) ?? ""
  const [seen, see] = useState(now)
  if (isShown && seen !== now) see(now)
  const { chat, me } = client.state ?? {}
  const all = isShown || chat === undefined ? [] : [...chat.event, ...chat.room, ...chat.staff]
  const unread = all.filter(({ at, participantId }) => at > seen && participantId !== me?.participantId).length
  return counted(live.chat, unread)
}

const counted = (title: string, count: number): string => (count === 0 ? title : `${title} (${count})`)

/** The panels in their order. `shown` is the one in view: the title of the chat counts what came while another was. */
export const usePanels = (client: GatewayClient, hasName: boolean, shown: PanelId = "chat"): ReadonlyArray<Panel> => {
  const { live } = useTexts()
  const ids =
    useEvent(client, (state) => (["chat", "questions", "polls"] as const).filter((id) => has(state, id))) ?? NONE
  const toVote =
    useEvent(
      client,
      ({ polls, me }) =>
        polls.all.filter(
          ({ id, status }) => status === "open" && me.can.includes("poll.vote") && polls.chosen[id] === undefined,
        ).length,
    ) ?? 0
  const panels = {
    chat: { title: <ChatTitle client={client} isShown={shown === "chat"} />, content: <Chat client={client} /> },
    questions: { title: live.questions, content: <QuestionsPanel client={client} hasName={hasName} /> },
    polls: { title: counted(live.polls, toVote), content: <Polls client={client} /> },
  }
  return ids.map((id) => ({ id, ...panels[id] }))
}
