/** States of a registration: who comes in, who waits for whom, and how long an offer holds (docs/people.md). */
import { Schema } from "effect"
import { named } from "./named.ts"
import { Domain } from "./text/domain.ts"
import { domainOfEmail } from "./text/email.ts"
import { isVisible, LegibleText, membersText } from "./text/shown-text.ts"
import { type Timestamp, toMillis, toTimestamp } from "./timestamp.ts"

/**
 * `approved` and `offered` registrations have a place, but only an approved person may enter. `pending` waits for the organisers, `waiting`
 * for a place. `expired`: the person did not take the offered place in time.
 */
export const RegistrationState = Schema.Literals([
  "approved",
  "pending",
  "waiting",
  "offered",
  "declined",
  "expired",
]).annotate(named("RegistrationState"))
export type RegistrationState = typeof RegistrationState.Type

const MOST_DOMAINS = 100
const Domains = Schema.Array(Domain).check(Schema.isMaxLength(MOST_DOMAINS))

/** Registrations wait for the organisers, except those of addresses that a domain decides. */
export const Approval = Schema.Struct({
  /** Addresses of these domains are approved at once. */
  approvedDomains: Domains,
  /** Addresses of these domains are declined at once, also when they are in both lists. */
  declinedDomains: Domains,
}).annotate(named("Approval"))
export type Approval = typeof Approval.Type

/** A full event takes registrations that wait for a place. */
export const WaitingList = Schema.Struct({
  /** Hours for which a free place is offered to one person, 1 to 168; fewer shortly before the start. */
  offerHours: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 168 })),
}).annotate(named("WaitingList"))
export type WaitingList = typeof WaitingList.Type

/** Longest reason of the organisers, in UTF-16 units. */
export const DECLINE_REASON_LIMIT = 1000
/** Why a registration is declined, as its person reads it. */
export const DeclineReason = LegibleText(DECLINE_REASON_LIMIT, isVisible, "must not be blank", membersText)

export interface Places {
  readonly capacity: number | null
  /** Number of places that are taken or offered. */
  readonly registered: number
  /** Number of people who wait for a place. */
  readonly waiting: number
  readonly waitingList: WaitingList | null
}

/** State of a person who needs no approval, or has it; `undefined` when the event is full. Nobody overtakes those who wait. */
export const placeFor = ({
  capacity,
  registered,
  waiting,
  waitingList,
}: Places): "approved" | "waiting" | undefined => {
  if (capacity === null || (waiting === 0 && registered < capacity)) return "approved"
  return waitingList === null ? undefined : "waiting"
}

const ruledBy = (approval: Approval | null, email: string): "approved" | "pending" | "declined" => {
  if (approval === null) return "approved"
  const domain = domainOfEmail(email)
  if (approval.declinedDomains.includes(domain)) return "declined"
  return approval.approvedDomains.includes(domain) ? "approved" : "pending"
}

/** State of a new registration; `undefined` when the event is full. People who wait for approval take no place. */
export const stateOfNew = (
  places: Places & { readonly approval: Approval | null },
  email: string,
): "approved" | "waiting" | "pending" | "declined" | undefined => {
  const place = placeFor(places)
  const ruled = ruledBy(places.approval, email)
  return place === undefined || ruled === "approved" ? place : ruled
}

/** Offer of an event whose waiting list was switched off while people wait. */
const DEFAULT_OFFER_HOURS = 24
const HOUR_MS = 3_600_000
/** Shortest time for an answer. */
const SHORTEST_OFFER_MS = 10 * 60_000

/** End of an offer: at the latest halfway to the start, so that the next person has time too, but not before the shortest time is over. */
export const offerEnd = (
  now: number,
  { scheduledAt, waitingList }: { readonly scheduledAt: Timestamp | null; readonly waitingList: WaitingList | null },
): Timestamp => {
  const whole = (waitingList?.offerHours ?? DEFAULT_OFFER_HOURS) * HOUR_MS
  const half = scheduledAt === null ? whole : (toMillis(scheduledAt) - now) / 2
  return toTimestamp(now + Math.max(SHORTEST_OFFER_MS, Math.min(whole, Math.floor(half))))
}
