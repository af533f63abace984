/** Panels that the event currently has for this person. */
import { activePhase, type EventState, type GatewayClient } from "@gathercue/client"
import { useEvent } from "@gathercue/client/react"
import { useState } from "react"
import { Chat } from "../live/chat.tsx"
import { Polls } from "../live/polls.tsx"
import { QuestionsPanel } from "../live/questions.tsx"
import { useTexts } from "../texts/language.tsx"

interface Panel {
  readonly id: PanelId
  readonly title: string
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

/** Number of messages since the chat was last shown. */
const useUnread = (client: GatewayClient, isShown: boolean): number => {
  const newest =
    useEvent(client, ({ chat }) => [chat.event.at(-1)?.at ?? "", chat.room.at(-1)?.at ?? ""].toSorted()[1]) ?? ""
  const [seen, see] = useState(newest)
  if (isShown && seen !== newest) see(newest)
  return (
    useEvent(client, ({ chat }) =>
      isShown ? 0 : [...chat.event, ...chat.room].filter(({ at }) => at > seen).length,
    ) ?? 0
  )
}

const counted = (title: string, count: number): string => (count === 0 ? title : `${title} (${count})`)

/** The panels in their order. `shown` is the one in view: the title of the chat counts what came while another was. */
export const usePanels = (client: GatewayClient, hasName: boolean, shown: PanelId = "chat"): ReadonlyArray<Panel> => {
  const { live } = useTexts()
  const unread = useUnread(client, shown === "chat")
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
    chat: { title: counted(live.chat, unread), content: <Chat client={client} /> },
    questions: { title: live.questions, content: <QuestionsPanel client={client} hasName={hasName} /> },
    polls: { title: counted(live.polls, toVote), content: <Polls client={client} /> },
  }
  return ids.map((id) => ({ id, ...panels[id] }))
}
