/** Who is there: everyone, or for a large audience the counts and the people on stage. */
import type { ParticipantView, PresenceView } from "../gateway/protocol/dispatches.ts"
import type { Dispatch, DispatchData } from "./wire.ts"

const withDiff = (presence: PresenceView, diff: DispatchData<"presence.diff">): PresenceView => {
  const people = new Map<string, ParticipantView>()
  if (presence.mode === "list" && diff.reset !== true) {
    for (const person of presence.list) people.set(person.participantId, person)
  }
  for (const participantId of diff.left) people.delete(participantId)
  for (const person of [...diff.join, ...diff.update]) people.set(person.participantId, person)
  return { mode: "list", total: people.size, list: [...people.values()] }
}

const withMode = (presence: PresenceView, mode: "list" | "summary", total: number): PresenceView => {
  if (mode === presence.mode) return presence
  if (mode === "list") return { mode, total: 0, list: [] }
  const people = presence.mode === "list" ? presence.list : []
  const staff = people.filter(({ role }) => role !== "viewer" && role !== "participant")
  return { mode, total, byRole: {}, byRoom: {}, staff }
}

const withCount = (presence: PresenceView, count: DispatchData<"presence.count">): PresenceView =>
  presence.mode === "summary"
    ? { ...presence, total: count.total, byRole: count.byRole, byRoom: count.byRoom }
    : presence

export const presenceAfter = (presence: PresenceView, dispatch: Dispatch): PresenceView => {
  switch (dispatch.t) {
    case "presence.diff":
      return withDiff(presence, dispatch.d)
    case "presence.mode":
      return withMode(presence, dispatch.d.mode, dispatch.d.total)
    case "presence.count":
      return withCount(presence, dispatch.d)
    default:
      return presence
  }
}
