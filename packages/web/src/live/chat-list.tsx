/** Messages of one chat target, of which only those in view are rendered. */
import type { ChatMessageView } from "@gathercue/client"
import { useRef } from "react"
import { GridList, ListLayout, Virtualizer } from "react-aria-components"
import { ChatMessageItem } from "./chat-message.tsx"
import { useFollowEnd } from "./use-follow-end.ts"
import "./live.css"

interface Props {
  readonly label: string
  readonly messages: ReadonlyArray<ChatMessageView>
  readonly mayDelete: (message: ChatMessageView) => boolean
  readonly onDelete: (message: ChatMessageView) => void
}

const LAYOUT = { estimatedRowSize: 28, gap: 4 }

export const ChatList = ({ label, messages, mayDelete, onDelete }: Props) => {
  const list = useRef<HTMLDivElement>(null)
  useFollowEnd(list)
  return (
    <Virtualizer layout={ListLayout} layoutOptions={LAYOUT}>
      <GridList
        ref={list}
        aria-label={label}
        className="chat-list"
        items={messages}
        dependencies={[mayDelete, onDelete]}
        keyboardNavigationBehavior="tab"
      >
        {(message) => (
          <ChatMessageItem message={message} onDelete={mayDelete(message) ? () => onDelete(message) : undefined} />
        )}
      </GridList>
    </Virtualizer>
  )
}
