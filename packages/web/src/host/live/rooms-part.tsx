/** Breakout rooms or a rotation, depending on the phase. */
import { activePhase } from "@gathercue/client"
import { useEvent } from "@gathercue/client/react"
import { useConsoleTexts } from "../../texts/language.tsx"
import { BreakoutPlanForm } from "./breakout-plan.tsx"
import { BreakoutRooms } from "./breakout-rooms.tsx"
import type { LiveProps } from "./live-props.ts"
import { RotationControls } from "./rotation.tsx"

export const RoomsPart = ({ client }: LiveProps) => {
  const { host } = useConsoleTexts()
  const phase = useEvent(client, activePhase)
  const isOpen = useEvent(client, ({ rooms }) => rooms.breakout !== null) ?? false
  if (phase?.modality === "rotation") return <RotationControls key={phase.id} client={client} phase={phase} />
  if (phase?.modality !== "breakout" && phase?.modality !== "meeting") return <p>{host.noRooms}</p>
  return isOpen ? <BreakoutRooms client={client} /> : <BreakoutPlanForm key={phase.id} client={client} phase={phase} />
}
