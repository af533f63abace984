/** Present participants: everyone, or for a large audience the counts and the people on stage. */
import type { ParticipantView, PresenceView } from "../contract/types.ts"
import type { DispatchData } from "../wire.ts"
import type { NewsOf } from "./news.ts"

/** In list mode the diff concerns everyone, in summary mode the people on stage. */
const withDiff = (presence: PresenceView, diff: DispatchData<"presence.diff" | "presence.stage">): PresenceView => {
  const people = new Map<string, ParticipantView>()
  const known = presence.mode === "list" ? presence.list : presence.staff
  if (diff.reset !== true) for (const person of known) people.set(person.participantId, person)
  for (const participantId of diff.left) people.delete(participantId)
  for (const person of [...diff.join, ...diff.update]) people.set(person.participantId, person)
  const told = [...people.values()]
  return presence.mode === "list" ? { mode: "list", total: told.length, list: told } : { ...presence, staff: told }
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

export const presenceAfter = (presence: PresenceView, dispatch: NewsOf<"presence">): PresenceView => {
  switch (dispatch.t) {
    case "presence.diff":
    case "presence.stage":
      return withDiff(presence, dispatch.d)
    case "presence.mode":
      return withMode(presence, dispatch.d.mode, dispatch.d.total)
    case "presence.count":
      return withCount(presence, dispatch.d)
  }
}
