/**
 * The measure that an event takes while no host is present. It is a record of its own, not a setting of the chat or the lobby, so that
 * those are unchanged when a host returns.
 */
import { type AbsenceMeasure, UNWATCHED_CHAT_SLOW_MS } from "../../../model/host-absence.ts"
import { ONLY } from "../../../model/live/live-records.ts"
import { EventRole, isStaff } from "../../../model/roles.ts"
import { toMillis } from "../../../model/timestamp.ts"
import type { Participant, Refused } from "../../commands.ts"
import { lobbyPolicy } from "../../presence/admission-policy.ts"
import { actingRole, isOfStaff } from "../acting-role.ts"
import type { ReadContext, Turn } from "../turn.ts"
import { type Activity, refuse } from "./activity.ts"
import { admitChosen } from "./lobby.ts"

const STAFF = EventRole.literals.filter(isStaff)

/** Whether a host is present or may still return. Only candidates are checked, because an audience is large. */
const isHostHere = ({ people, records }: Turn): boolean => {
  const acts = (person: Participant | undefined): boolean =>
    person !== undefined && isOfStaff(actingRole(records, person))
  for (const role of STAFF) for (const id of people.storedAs(role)) if (acts(people.find(id))) return true
  for (const id of records.all("role").keys()) if (acts(people.find(id))) return true
  for (const person of people.absent()) if (acts(person)) return true
  return false
}

/** The current measure. */
const measureIn = ({ records }: Pick<ReadContext, "records">): AbsenceMeasure | null =>
  records.get("hostAway", ONLY)?.measure ?? null

/** Minimum interval in milliseconds between two messages of a person who is not staff. */
export const slowMsOf = (context: Pick<ReadContext, "records">, setMs: number): number =>
  measureIn(context) === "slowChat" ? Math.max(setMs, UNWATCHED_CHAT_SLOW_MS) : setMs

const LOCKED = refuse("conflict", "The event is locked until a host is here again.")

/** The refusal while only staff may write. */
export const whyLocked = (turn: Turn): Refused | undefined =>
  measureIn(turn) === "locked" && (turn.by === null || !isOfStaff(actingRole(turn.records, turn.by)))
    ? LOCKED
    : undefined

const publishChatSettings = (turn: Turn): void =>
  turn.publish("chat.settings", "event", { slowMs: slowMsOf(turn, turn.settings.chatSlowMs) })

/** The measure that the event is configured to take; null: none. */
const wanted = ({ state: { event } }: Turn): AbsenceMeasure | null =>
  event.hostAbsence.measure === "nothing" ? null : event.hostAbsence.measure

/** A host is present, or none is needed. */
const hasHosts = (turn: Turn): boolean => wanted(turn) === null || isHostHere(turn)

/** Chart guards on the absence of hosts. */
export const hostGuards = {
  hasHosts,
  lacksHosts: (turn: Turn) => !hasHosts(turn),
  hasOtherMeasure: (turn: Turn) => turn.get("hostAway", ONLY)?.measure !== wanted(turn),
}

const end = (turn: Turn): void => {
  const away = turn.get("hostAway", ONLY)
  turn.remove("hostAway", ONLY)
  if (away === undefined || away.measure === null) return
  const { since, measure } = away
  if (measure === "lobbyClosed") turn.raise({ type: "door.moved" })
  if (measure === "slowChat") publishChatSettings(turn)
  turn.publish("host.absence", "event", { absence: null })
  turn.emitOccurrence("host.returned", { since, measure })
}

/** Time at which the measure is due, in Unix milliseconds. */
export const measureAt = ({ records, state }: Pick<ReadContext, "records" | "state">): number | undefined => {
  const away = records.get("hostAway", ONLY)
  return away === undefined ? undefined : toMillis(away.since) + state.event.hostAbsence.afterSeconds * 1000
}

/** Chart actions on the absence of hosts. */
export const hostActions = {
  noteAbsence: (turn: Turn): void => turn.put("hostAway", ONLY, { since: turn.at, measure: null }),
  endAbsence: end,
  /** Continues the absence with the measure that is now configured. */
  changeMeasure: (turn: Turn): void => {
    const since = turn.get("hostAway", ONLY)?.since ?? turn.at
    end(turn)
    turn.put("hostAway", ONLY, { since, measure: null })
  },
  takeMeasure: (turn: Turn): void => {
    const since = turn.get("hostAway", ONLY)?.since ?? turn.at
    const measure = wanted(turn)
    if (measure === null) return
    turn.put("hostAway", ONLY, { since, measure })
    // A guest may be host by a role given here, and must be able to return into a closed lobby.
    if (measure === "lobbyClosed") {
      turn.raise({ type: "door.moved" })
      if (lobbyPolicy(turn.state, turn.records) !== "open") admitChosen(turn)
    }
    if (measure === "slowChat") publishChatSettings(turn)
    turn.publish("host.absence", "event", { absence: { since, measure } })
    turn.emitOccurrence("host.absent", { since, measure })
  },
}

export const hostAbsence = {
  commands: {},
  view: ({ records, state }) => {
    const away = records.get("hostAway", ONLY)
    const isInForce = state.event.status === "live" && away !== undefined && away.measure !== null
    return { hostAbsence: isInForce ? { since: away.since, measure: away.measure } : null }
  },
} satisfies Activity
