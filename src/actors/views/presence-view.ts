/** Presence in the form that clients see: participants, the list or the summary, and pages of the roster. */

import { isStage, narrowRole } from "../../model/modality.ts"
import { type EventRole, isOnStage } from "../../model/roles.ts"
import { searchForm } from "../../model/text/compared.ts"
import { type Dispatch, type DispatchData, dispatchOf } from "../../protocol/contract.ts"
import type { ParticipantView, PresenceView } from "../../protocol/messages/presence.ts"
import type { LoadedEvent } from "../commit/loaded-event.ts"
import { roomOf } from "../domain/activities/rooms/rooms.ts"
import type { Presence, PresenceChange, Present } from "../presence/presence.ts"
import type { RosterPage, RosterQuery } from "../protocol.ts"
import { regionOf } from "../state/chart-snapshot.ts"
import { activePhaseOf, type LiveState, type NewOccurrence } from "../state/state.ts"

/** Input of presence views. */
type Where = Pick<LoadedEvent, "state" | "records">

const narrow = (state: LiveState, person: Pick<Present, "role">) =>
  narrowRole(person.role, activePhaseOf(state)?.modality ?? null)

/** Number of participants, by effective role and by room. */
export const presenceCounts = (
  { state, records }: Where,
  presence: Presence,
): Omit<DispatchData<"presence.count">, "lobby"> => ({
  ...presence.counts((role) => narrow(state, { role })),
  byRoom: Object.fromEntries([...records.all("room")].map(([id, { count }]) => [id, count])),
})

/** One participant in wire form. */
const participantView = (where: Where, person: Present): ParticipantView => ({
  participantId: person.participantId,
  name: person.name,
  role: narrow(where.state, person),
  roomId: roomOf(where.records, person.participantId),
  hand: where.records.get("hand", person.participantId) !== undefined,
  muted: where.records.get("mute", person.participantId) !== undefined,
  joinedAt: person.joinedAt,
  kind: person.kind,
})

type Diff = DispatchData<"presence.diff">

/** A stream of presence changes, and the stored roles that it shows. */
interface Telling {
  readonly diff: (d: Diff) => Dispatch
  readonly shows: (role: EventRole) => boolean
}

/** Named participants receive everyone in list mode, and the people on stage in summary mode. */
const toPeople = (state: LiveState): Telling => ({
  diff: (d) => dispatchOf("presence.diff", "people", d),
  shows: regionOf(state.chart, "presence") === "list" ? () => true : isOnStage,
})

/** Anonymous viewers receive only the people on stage, whose names are public. */
const TO_ANONYMOUS: Telling = { diff: (d) => dispatchOf("presence.stage", "stage", d), shows: isOnStage }

/** True when the event may have anonymous viewers: they watch broadcasts of public events. */
export const mayBeWatched = ({ event, phases }: LiveState): boolean =>
  event.visibility === "public" && phases.some(({ modality }) => isStage(modality))

/** Replays read the stream of anonymous viewers, so a kept history has it even without such viewers. */
const tellings = ({ state }: Where): ReadonlyArray<Telling> =>
  mayBeWatched(state) || state.event.history === "kept" ? [toPeople(state), TO_ANONYMOUS] : [toPeople(state)]

const shown = (where: Where, presence: Presence, shows: Telling["shows"]): ReadonlyArray<ParticipantView> =>
  [...presence.all()].filter(({ role }) => shows(role)).map((person) => participantView(where, person))

/** Counts and the people on stage, for a large audience and always for anonymous viewers. */
export const presenceSummary = (where: Where, presence: Presence): PresenceView => ({
  mode: "summary",
  ...presenceCounts(where, presence),
  staff: shown(where, presence, isOnStage),
})

/** Presence for a snapshot: everyone, or the summary. */
export const presenceView = (where: Where, presence: Presence): PresenceView =>
  regionOf(where.state.chart, "presence") === "list"
    ? { mode: "list", total: presence.size, list: shown(where, presence, () => true) }
    : presenceSummary(where, presence)

/** Net difference of some changes: joined, left and updated; each participant once per stream. */
export const presenceDiffs = (
  where: Where,
  presence: Presence,
  changes: ReadonlyArray<PresenceChange>,
): ReadonlyArray<Dispatch> => tellings(where).flatMap((telling) => diffOf(where, presence, changes, telling) ?? [])

const diffOf = (
  where: Where,
  presence: Presence,
  changes: ReadonlyArray<PresenceChange>,
  { diff, shows }: Telling,
): Dispatch | undefined => {
  const touched = new Set(
    changes
      .filter(({ participant: { role }, before = role }) => shows(role) || shows(before))
      .map(({ participant }) => participant.participantId),
  )
  const moved = new Set(
    changes.flatMap(({ type, participant }) => (type === "updated" ? [] : participant.participantId)),
  )
  const join: ParticipantView[] = []
  const update: ParticipantView[] = []
  const left: string[] = []
  for (const participantId of touched) {
    const person = presence.find(participantId)
    if (person === undefined || !shows(person.role)) left.push(participantId)
    else (moved.has(participantId) ? join : update).push(participantView(where, person))
  }
  if (touched.size === 0) return undefined
  return diff({ join, left, update })
}

/** Full lists of the shown participants: after a restart client lists may be wrong, and another mode shows others. */
export const presenceResets = (where: Where, presence: Presence): ReadonlyArray<Dispatch> =>
  tellings(where).map(({ diff, shows }) =>
    diff({ reset: true, join: shown(where, presence, shows), left: [], update: [] }),
  )

/** Updates of all participants whose effective role depends on the phase, after a phase change. */
export const presenceUpdates = (where: Where, presence: Presence): ReadonlyArray<Dispatch> =>
  tellings(where).flatMap(({ diff, shows }) => {
    const dependsOnPhase = (role: EventRole): boolean => role === "speaker" || role === "participant"
    const update = shown(where, presence, (role) => shows(role) && dependsOnPhase(role))
    return update.length === 0 ? [] : [diff({ join: [], left: [], update })]
  })

/** The webhook event of a change; `userId` is set only for signed-in users. */
export const presenceOccurrence = (state: LiveState, { type, participant }: PresenceChange): NewOccurrence => ({
  type: type === "joined" ? "participant.joined" : "participant.left",
  extra: {
    participantId: participant.participantId,
    ...(participant.userId === null ? {} : { userId: participant.userId }),
    anonymous: participant.kind === "anonymous",
    role: narrow(state, participant),
  },
})

const cursorOf = (person: Present): string => `${person.joinedAt} ${person.participantId}`

/** Everyone who joined after the cursor's participant; if that one has left, everyone who joined later. */
function* after(presence: Presence | undefined, cursor: string | undefined): IterableIterator<Present> {
  const [joinedAt = ""] = cursor?.split(" ") ?? []
  let passed = cursor === undefined
  for (const person of presence?.all() ?? []) {
    const isCursor = cursorOf(person) === cursor
    passed ||= isCursor || person.joinedAt > joinedAt
    if (passed && !isCursor) yield person
  }
}

/** Most participants checked for one page, so that a search of a large audience does not block its event. */
const LOOKED_AT = 2000

/**
 * A page of the roster, in joining order. The cursor is the last participant that was checked, who may have left since. A page of a search
 * may hold fewer entries than its limit, or none, while there are more to check.
 */
export const rosterPage = (where: Where, presence: Presence | undefined, query: RosterQuery): RosterPage => {
  const wanted = query.query === undefined ? undefined : searchForm(query.query)
  const matches = (person: Present): boolean =>
    (query.role === undefined || narrow(where.state, person) === query.role) &&
    (query.roomId === undefined || roomOf(where.records, person.participantId) === query.roomId) &&
    (wanted === undefined || searchForm(person.name).includes(wanted))
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
