/**
 * The measure that an event takes while no host is there. It is a record of its own and no setting of the chat or the lobby, so that
 * these are as the hosts left them when one of them returns.
 */
import { type AbsenceMeasure, UNWATCHED_CHAT_SLOW_MS } from "../../../model/host-absence.ts"
import { type HostAway, ONLY } from "../../../model/live/live-records.ts"
import { EventRole, isStaff } from "../../../model/roles.ts"
import { toMillis } from "../../../model/timestamp.ts"
import type { Refused } from "../../commands.ts"
import { lobbyPolicy, policyBeside } from "../../presence/admission-policy.ts"
import type { Participant } from "../../presence/presence.ts"
import { actingRole, isOfStaff } from "../acting-role.ts"
import type { Turn } from "../turn.ts"
import { type Activity, type ReadContext, refuse } from "./activity.ts"
import { keepThoseChosen, keepThoseInside } from "./lobby.ts"

const STAFF = EventRole.literals.filter(isStaff)

/** A host who may still return counts as here. Candidates only are looked at, because an audience is large. */
const isHostHere = ({ people, records }: Turn): boolean => {
  const acts = (person: Participant | undefined): boolean =>
    person !== undefined && isOfStaff(actingRole(records, person))
  for (const role of STAFF) for (const id of people.storedAs(role)) if (acts(people.find(id))) return true
  for (const id of records.all("role").keys()) if (acts(people.find(id))) return true
  for (const person of people.absent()) if (acts(person)) return true
  return false
}

/** The measure in force. */
const measureIn = ({ records }: Pick<ReadContext, "records">): AbsenceMeasure | null =>
  records.get("hostAway", ONLY)?.measure ?? null

/** Milliseconds between two messages of a person who is not of the staff. */
export const slowMsOf = (context: Pick<ReadContext, "records">, setMs: number): number =>
  measureIn(context) === "slowChat" ? Math.max(setMs, UNWATCHED_CHAT_SLOW_MS) : setMs

const LOCKED = refuse("conflict", "The event is locked until a host is here again.")

/** A refusal while nobody but staff may write. */
export const whyLocked = (turn: Turn): Refused | undefined =>
  measureIn(turn) === "locked" && (turn.by === null || !isOfStaff(actingRole(turn.records, turn.by)))
    ? LOCKED
    : undefined

const publishChatSettings = (turn: Turn): void =>
  turn.publish("chat.settings", "event", { slowMs: slowMsOf(turn, turn.settings.chatSlowMs) })

const end = (turn: Turn, { since, measure }: HostAway): void => {
  turn.remove("hostAway", ONLY)
  if (measure === null) return
  if (measure === "slowChat") publishChatSettings(turn)
  turn.publish("host.absence", "event", { absence: null })
  turn.emitWebhookEvent("host.returned", { since, measure })
}

/** The measure that the event is to take; null: none, also because it is not live. */
const wanted = ({ state: { event } }: Turn): AbsenceMeasure | null =>
  event.status !== "live" || event.hostAbsence.measure === "nothing" ? null : event.hostAbsence.measure

/** Follows the hosts: the first moment without one is kept, and the measure ends with their return or with another setting. */
const follow = (turn: Turn): void => {
  const away = turn.get("hostAway", ONLY)
  const measure = wanted(turn)
  if (measure === null && away === undefined) return
  const isOver = measure === null || isHostHere(turn)
  const isOther = (away?.measure ?? measure) !== measure
  if (away !== undefined && (isOver || isOther)) end(turn, away)
  if (!isOver && (away === undefined || isOther)) {
    turn.put("hostAway", ONLY, { since: away?.since ?? turn.at, measure: null })
  }
}

const take = (turn: Turn): void => {
  follow(turn)
  const away = turn.get("hostAway", ONLY)
  const measure = wanted(turn)
  if (away === undefined || away.measure !== null || measure === null) return
  const { since } = away
  const policy = lobbyPolicy(turn.state, turn.records)
  turn.put("hostAway", ONLY, { since, measure })
  keepThoseInside(turn, policy)
  // A host by a role given here may be a guest, whom a closed lobby would keep from coming back.
  keepThoseChosen(turn)
  if (measure === "slowChat") publishChatSettings(turn)
  turn.publish("host.absence", "event", { absence: { since, measure } })
  turn.emitWebhookEvent("host.absent", { since, measure })
}

export const hostAbsence = {
  commands: {},
  phaseStarted: (turn, phase) => {
    follow(turn)
    // A broadcast lets everybody in without an admission. They are inside when the call that follows has its lobby closed.
    if (measureIn(turn) === "lobbyClosed") keepThoseInside(turn, policyBeside(phase, turn.records))
  },
  peopleChanged: follow,
  eventUpdated: follow,
  deadlines: ({ records, state }) => {
    const away = records.get("hostAway", ONLY)
    if (away === undefined || away.measure !== null) return []
    return [{ at: toMillis(away.since) + state.event.hostAbsence.afterSeconds * 1000, due: take }]
  },
  view: ({ records, state }) => {
    const away = records.get("hostAway", ONLY)
    const isInForce = state.event.status === "live" && away !== undefined && away.measure !== null
    return { hostAbsence: isInForce ? { since: away.since, measure: away.measure } : null }
  },
} satisfies Activity
