/** Presence as clients see it: participants, the list or the summary, and pages of the roster. */
import { type EventRole, isOnStage, narrowRole } from "../model/roles.ts"
import type { Presence, PresenceChange, Present } from "./presence.ts"
import type { RosterPage, RosterQuery } from "./protocol.ts"
import type { Resident } from "./resident.ts"
import { activePhase, type Dispatch, type LiveState, type Notice } from "./state.ts"

/** What a view of people is drawn from. */
type Where = Pick<Resident, "state" | "floor">

const narrow = (state: LiveState, person: Pick<Present, "role">) =>
  narrowRole(person.role, activePhase(state)?.modality ?? null)

/** How many there are, by their role in the active phase and by room. */
export const presenceCounts = ({ state, floor }: Where, presence: Presence): { readonly [field: string]: unknown } => ({
  ...presence.counts((role) => narrow(state, { role })),
  byRoom: Object.fromEntries([...floor.all("room")].map(([id, { count }]) => [id, count])),
})

const roomOf = ({ floor }: Where, participantId: string): string | null => {
  const seat = floor.get("seat", participantId)
  return seat === undefined || seat.away ? null : seat.roomId
}

/** One participant on the wire. */
export const participantView = (where: Where, person: Present): { readonly [field: string]: unknown } => ({
  participantId: person.participantId,
  name: person.name,
  role: narrow(where.state, person),
  roomId: roomOf(where, person.participantId),
  hand: where.floor.get("hand", person.participantId) !== undefined,
  muted: where.floor.get("mute", person.participantId) !== undefined,
  joinedAt: person.joinedAt,
  kind: person.kind,
})

/** Of whom clients are told, one by one: in list mode of everyone, in summary mode of those on stage. */
const isShown = (presence: Presence, role: EventRole): boolean => presence.mode === "list" || isOnStage(role)

const shown = (presence: Presence): ReadonlyArray<Present> =>
  [...presence.all()].filter(({ role }) => isShown(presence, role))

/** The whole of presence for a snapshot: everyone, or counts and the people on stage. */
export const presenceView = (where: Where, presence: Presence): { readonly [field: string]: unknown } => {
  if (presence.mode === "list") {
    return {
      mode: "list",
      total: presence.size,
      list: Array.from(presence.all(), (person) => participantView(where, person)),
    }
  }
  return {
    mode: "summary",
    ...presenceCounts(where, presence),
    staff: shown(presence).map((person) => participantView(where, person)),
  }
}

/** The net difference of some changes: who came, who went, and who is there otherwise; each person once. */
export const presenceDiff = (
  where: Where,
  presence: Presence,
  changes: ReadonlyArray<PresenceChange>,
): Dispatch | undefined => {
  const touched = new Set(
    changes
      .filter(({ participant: { role }, before = role }) => isShown(presence, role) || isShown(presence, before))
      .map(({ participant }) => participant.participantId),
  )
  const moved = new Set(
    changes.flatMap(({ type, participant }) => (type === "updated" ? [] : participant.participantId)),
  )
  const join: { readonly [field: string]: unknown }[] = []
  const update: { readonly [field: string]: unknown }[] = []
  const left: string[] = []
  for (const participantId of touched) {
    const person = presence.find(participantId)
    if (person === undefined || !isShown(presence, person.role)) left.push(participantId)
    else (moved.has(participantId) ? join : update).push(participantView(where, person))
  }
  if (touched.size === 0) return undefined
  return { stream: "event", t: "presence.diff", d: { join, left, update } }
}

/** Everyone shown, anew: after a restart nobody's list is known to be right, and another mode shows others. */
export const presenceReset = (where: Where, presence: Presence): Dispatch => ({
  stream: "event",
  t: "presence.diff",
  d: {
    reset: true,
    join: shown(presence).map((person) => participantView(where, person)),
    left: [],
    update: [],
  },
})

/** Everyone whose role reads differently by phase, anew: the phase has changed. */
export const presenceUpdate = (where: Where, presence: Presence): Dispatch | undefined => {
  const update = shown(presence)
    .filter(({ role }) => role === "speaker" || role === "participant")
    .map((person) => participantView(where, person))
  return update.length === 0 ? undefined : { stream: "event", t: "presence.diff", d: { join: [], left: [], update } }
}

/** What webhook receivers learn of a change (specification §6): `userId` only for the signed-in. */
export const presenceNotice = (state: LiveState, { type, participant }: PresenceChange): Notice => ({
  type: type === "joined" ? "participant.joined" : "participant.left",
  extra: {
    participantId: participant.participantId,
    ...(participant.userId === null ? {} : { userId: participant.userId }),
    anonymous: participant.kind === "anonymous",
    role: narrow(state, participant),
  },
})

const cursorOf = (person: Present): string => `${person.joinedAt} ${person.participantId}`

/** Everyone who joined after the person the cursor names; when that person has left, everyone who joined later. */
function* after(presence: Presence, cursor: string | undefined): IterableIterator<Present> {
  const [joinedAt = ""] = cursor?.split(" ") ?? []
  let passed = cursor === undefined
  for (const person of presence.all()) {
    const isCursor = cursorOf(person) === cursor
    passed ||= isCursor || person.joinedAt > joinedAt
    if (passed && !isCursor) yield person
  }
}

/** People looked at for one page at most, so that no search of a large audience holds up its event. */
const LOOKED_AT = 2000

/**
 * Pages run in joining order; the cursor is the last person looked at, who may have left since. A page of a search may hold
 * fewer than its limit, or nobody, while there are more to look at.
 */
export const rosterPage = (where: Where, presence: Presence, query: RosterQuery): RosterPage => {
  const wanted = query.query?.toLowerCase()
  const matches = (person: Present): boolean =>
    (query.role === undefined || narrow(where.state, person) === query.role) &&
    (query.roomId === undefined || roomOf(where, person.participantId) === query.roomId) &&
    (wanted === undefined || person.name.toLowerCase().includes(wanted))
  const found: Present[] = []
  const page = (nextCursor: string | null): RosterPage => ({
    participants: found.map((person) => participantView(where, person)),
    nextCursor,
  })
  let looked = 0
  let last: Present | undefined
  for (const person of after(presence, query.cursor)) {
    if (last !== undefined && (found.length === query.limit || looked === LOOKED_AT)) return page(cursorOf(last))
    if (matches(person)) found.push(person)
    last = person
    looked++
  }
  return page(null)
}
