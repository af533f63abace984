/** The names of people whom this page has removed: the event tells ids alone of those who are gone. */
import type { ParticipantView } from "@gathercue/client"

const names = new Map<string, string>()

export const keepName = ({ participantId, name }: Pick<ParticipantView, "participantId" | "name">): void => {
  names.set(participantId, name)
}

export const knownName = (participantId: string): string => names.get(participantId) ?? participantId
