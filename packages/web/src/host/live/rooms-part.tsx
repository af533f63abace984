/** Breakout rooms or a rotation, depending on the phase. */
import { activePhase } from "@gathercue/client"
import { useEvent } from "@gathercue/client/react"
import { useTexts } from "../../texts/language.tsx"
import { BreakoutPlan } from "./breakout-plan.tsx"
import { BreakoutRooms } from "./breakout-rooms.tsx"
import type { LiveProps } from "./live-props.ts"
import { Rotation } from "./rotation.tsx"

export const RoomsPart = ({ client }: LiveProps) => {
  const { host } = useTexts()
  const phase = useEvent(client, activePhase)
  const isOpen = useEvent(client, ({ rooms }) => rooms.breakout !== null) ?? false
  if (phase?.modality === "rotation") return <Rotation key={phase.id} client={client} phase={phase} />
  if (phase?.modality !== "breakout" && phase?.modality !== "meeting") return <p>{host.noRooms}</p>
  return isOpen ? <BreakoutRooms client={client} /> : <BreakoutPlan key={phase.id} client={client} phase={phase} />
}
