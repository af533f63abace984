/** Names of people removed by this page: the event reports only ids of people who are gone. */
import type { ParticipantView } from "@gathercue/client"

const names = new Map<string, string>()

export const keepName = ({ participantId, name }: Pick<ParticipantView, "participantId" | "name">): void => {
  names.set(participantId, name)
}

export const knownName = (participantId: string): string => names.get(participantId) ?? participantId
