/** One message of the chat. */
import type { ChatMessageView } from "@gathercue/client"
import { X } from "lucide-react"
import { GridListItem } from "react-aria-components"
import { useFormats, useTexts } from "../texts/language.tsx"
import { IconButton } from "../ui/icon-button.tsx"

interface Props {
  readonly message: ChatMessageView
  /** Undefined when this person may not delete the message. */
  readonly onDelete: (() => void) | undefined
}

export const ChatMessageItem = ({ message, onDelete }: Props) => {
  const { live } = useTexts()
  const { time } = useFormats()
  const { id, name, role, text, at } = message
  const title = live.roles[role]
  return (
    <GridListItem id={id} textValue={`${name}: ${text}`} className="chat-message">
      <span className="chat-text">
        {/* Each part has its own direction, so that right-to-left text does not reorder the others. */}
        <b dir="auto">{name}</b> {title === undefined ? null : <span className="badge">{title}</span>}{" "}
        <span className="quiet">{time(at)}</span> <bdi>{text}</bdi>
      </span>
      {onDelete === undefined ? null : (
        <IconButton label={live.deleteMessage} onPress={onDelete}>
          <X />
        </IconButton>
      )}
    </GridListItem>
  )
}
