/** The state of an event as a badge. */
import type { EventWithPhases } from "@gathercue/client"
import { useConsoleTexts } from "../../texts/language.tsx"

interface Props {
  readonly status: EventWithPhases["status"]
  readonly isCancelled?: boolean
}

export const EventStatus = ({ status, isCancelled = false }: Props) => {
  const { host } = useConsoleTexts()
  return (
    <span className={status === "live" ? "badge badge-live" : "badge"}>
      {isCancelled ? host.cancelled : host.eventStatus[status]}
    </span>
  )
}
