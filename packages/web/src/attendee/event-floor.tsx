/** The live event with the person's own controls: pictures first, and beside or below them one panel of chat, questions and polls. */
import type { GatewayClient } from "@gathercue/client"
import { useState } from "react"
import { CallPlace } from "../live/call/call-place.tsx"
import { HandButton } from "../live/hand.tsx"
import { ReactionsPanel } from "../live/reactions.tsx"
import { RisingReactions } from "../live/rising-reactions.tsx"
import { BreakoutPanel } from "../live/rooms/breakout.tsx"
import { RotationPanel } from "../live/rooms/rotation.tsx"
import { Captions } from "../live/stage/captions.tsx"
import { Stage } from "../live/stage/stage.tsx"
import { StagePanel } from "../live/stage-place.tsx"
import { useTexts } from "../texts/language.tsx"
import { Tabs } from "../ui/tabs.tsx"
import { type PanelId, usePanels } from "./use-panels.tsx"

interface Props {
  readonly client: GatewayClient
  readonly hasName: boolean
}

export const EventFloor = ({ client, hasName }: Props) => {
  const { attendee } = useTexts()
  const [isMuted, mute] = useState(false)
  const [chosen, choose] = useState<PanelId>("chat")
  const panels = usePanels(client, hasName, chosen)
  const shown = panels.find(({ id }) => id === chosen) ?? panels[0]
  // A panel that comes later does not take the place of the one that is read.
  if (shown !== undefined && shown.id !== chosen) choose(shown.id)
  return (
    <div className="room-body">
      <div className="room-main">
        <StagePanel client={client} onSending={mute} />
        <Stage client={client} isMuted={isMuted} />
        <BreakoutPanel client={client} />
        <RotationPanel client={client} />
        <CallPlace client={client} />
        <Captions client={client} />
        <RisingReactions client={client} />
        <div className="room-bar">
          <HandButton client={client} />
          <ReactionsPanel client={client} />
        </div>
      </div>
      {shown === undefined ? null : (
        <div className="room-side">
          <Tabs label={attendee.panels} tabs={panels} selected={shown.id} onSelect={choose} keeps />
        </div>
      )}
    </div>
  )
}
