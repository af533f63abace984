/** Panels that the event currently has for this person. */
import { activePhase, type EventState, type GatewayClient } from "@gathercue/client"
import { useEvent } from "@gathercue/client/react"
import { Chat } from "../live/chat.tsx"
import { Polls } from "../live/polls.tsx"
import { QuestionsPanel } from "../live/questions.tsx"
import { useTexts } from "../texts/language.tsx"

export interface Panel {
  readonly id: PanelId
  readonly title: string
  readonly content: React.ReactNode
}

type PanelId = "chat" | "questions" | "polls"

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

export const usePanels = (client: GatewayClient, hasName: boolean): ReadonlyArray<Panel> => {
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
    chat: { title: live.chat, content: <Chat client={client} /> },
    questions: { title: live.questions, content: <QuestionsPanel client={client} hasName={hasName} /> },
    polls: { title: toVote === 0 ? live.polls : `${live.polls} (${toVote})`, content: <Polls client={client} /> },
  }
  return ids.map((id) => ({ id, ...panels[id] }))
}
