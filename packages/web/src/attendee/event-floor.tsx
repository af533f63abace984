/** The live event with the person's own controls: side by side on a wide window, in tabs on a narrow one. */
import type { GatewayClient } from "@gathercue/client"
import { useState } from "react"
import { CallPlace } from "../live/call/call-place.tsx"
import { HandButton } from "../live/hand.tsx"
import { ReactionsPanel } from "../live/reactions.tsx"
import { BreakoutPanel } from "../live/rooms/breakout.tsx"
import { RotationPanel } from "../live/rooms/rotation.tsx"
import { Captions } from "../live/stage/captions.tsx"
import { Stage } from "../live/stage/stage.tsx"
import { StagePanel } from "../live/stage-place.tsx"
import { useTexts } from "../texts/language.tsx"
import { Tabs } from "../ui/tabs.tsx"
import { useMediaQuery } from "../ui/use-media-query.ts"
import { type Panel, usePanels } from "./use-panels.tsx"

interface Props {
  readonly client: GatewayClient
  readonly hasName: boolean
}

/** Given in em, because larger text needs a wider window. */
const WIDE = "(min-width: 60em)"

const content = ({ id, content: shown }: Panel) => (
  <div key={id} className="panel-place">
    {shown}
  </div>
)

export const EventFloor = ({ client, hasName }: Props) => {
  const { attendee } = useTexts()
  const isWide = useMediaQuery(WIDE)
  const [isMuted, mute] = useState(false)
  const panels = usePanels(client, hasName)
  const chat = panels.find(({ id }) => id === "chat")
  const others = panels.filter(({ id }) => id !== "chat")
  return (
    <div className={isWide ? "floor floor-wide" : "floor"}>
      <div className="stack">
        <StagePanel client={client} onSending={mute} />
        <Stage client={client} isMuted={isMuted} />
        <BreakoutPanel client={client} />
        <RotationPanel client={client} />
        <CallPlace client={client} />
        <Captions client={client} />
        <HandButton client={client} />
        <ReactionsPanel client={client} />
        {isWide ? <div className="floor-panels">{others.map(content)}</div> : null}
      </div>
      {isWide ? <div>{chat === undefined ? null : content(chat)}</div> : null}
      {isWide || panels.length === 0 ? null : <Tabs label={attendee.panels} tabs={panels} />}
    </div>
  )
}
