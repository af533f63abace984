/** The waiting list of an event: who gets a free place, for how long, and whose offer is over. The event's row is locked. */
import type { RegistrationState, WaitingList } from "../../model/registration.ts"
import type { Timestamp } from "../../model/timestamp.ts"
import type { Queryable } from "../database.ts"
import { DELETED_WORKSPACES } from "../deleted-workspaces.ts"
import type { StoredRegistrant } from "./registrations.ts"

/** Moves registrations to a state without an offer. `waiting` puts them at the end of the list, in the order of the ids. */
export const moveRegistrations = async (
  sql: Queryable,
  eventId: string,
  ids: ReadonlyArray<string>,
  state: Exclude<RegistrationState, "offered">,
  declineReason: string | null = null,
): Promise<void> => {
  await sql`
    update registrations r set state = ${state}, decline_reason = ${declineReason}, offer_ends_at = null,
           turn = ${state === "waiting" ? sql`t.turn` : sql`null`}
      from (select id, nextval('registration_turns') as turn
              from unnest(${[...ids]}::uuid[]) with ordinality as w(id, n) order by n) as t
     where r.event_id = ${eventId} and r.id = t.id`
}

interface WaitingEvent {
  readonly id: string
  readonly workspaceId: string
  readonly capacity: number | null
  readonly registered: number
  readonly scheduledAt: Timestamp | null
  readonly waitingList: WaitingList | null
  readonly isCancelled: boolean
  /** Free places are offered. */
  readonly isOpen: boolean
}

/**
 * Locks, for the caller's transaction, an event with an offer that is over, or with a free place for which somebody waits. Events take turns
 * by chance.
 */
export const claimWaitingEvent = async (sql: Queryable, now: Timestamp): Promise<WaitingEvent | undefined> => {
  const [row] = await sql<WaitingEvent[]>`
    select id, workspace_id, capacity, registered, scheduled_at, waiting_list, cancelled_at is not null as is_cancelled,
           cancelled_at is null and status in ('scheduled', 'live') and visibility <> 'private' as is_open
      from events
     where id in (select event_id from registrations where state = 'offered' and offer_ends_at <= ${now}
                   union all
                  select r.event_id from registrations r join events e on e.id = r.event_id
                   where r.state = 'offered' and e.cancelled_at is not null
                   union all
                  select id from events
                   where waiting > 0 and (capacity is null or registered < capacity) and cancelled_at is null
                     and status in ('scheduled', 'live') and visibility <> 'private')
       and workspace_id not in ${sql.unsafe(DELETED_WORKSPACES)}
     order by random() limit 1 for no key update skip locked`
  return row
}

/**
 * Ends up to `limit` offers that are over. A cancelled event takes all of its offers back: their people wait in the order they had.
 */
export const endOffers = async (
  sql: Queryable,
  { id, isCancelled }: WaitingEvent,
  now: Timestamp,
  limit: number,
): Promise<ReadonlyArray<StoredRegistrant>> =>
  sql<StoredRegistrant[]>`
    update registrations set offer_ends_at = null, state = ${isCancelled ? "waiting" : "expired"}, turn = ${isCancelled ? sql`turn` : sql`null`}
     where id in (select id from registrations
                   where event_id = ${id} and state = 'offered' and (${isCancelled} or offer_ends_at <= ${now})
                   order by turn limit ${limit})
    returning id, name, email, state`

/** Offers places to the first `count` people who wait. They keep their turn. */
export const makeOffers = async (
  sql: Queryable,
  eventId: string,
  endsAt: Timestamp,
  count: number,
): Promise<ReadonlyArray<StoredRegistrant>> =>
  sql<StoredRegistrant[]>`
    with offered as (
      update registrations set state = 'offered', offer_ends_at = ${endsAt}
       where id in (select id from registrations where event_id = ${eventId} and state = 'waiting' order by turn limit ${count})
      returning id, name, email, state, turn
    )
    select id, name, email, state from offered order by turn`

/** State of a registration as its person is told. */
export interface Standing {
  readonly state: RegistrationState
  /** Place in the waiting list, from 1; null unless the person waits. */
  readonly position: number | null
  readonly offerEndsAt: Timestamp | null
  readonly declineReason: string | null
}

export const findStanding = async (sql: Queryable, eventId: string, id: string): Promise<Standing | undefined> => {
  const [row] = await sql<Standing[]>`
    select state, offer_ends_at, decline_reason,
           case when state = 'waiting' then (select count(*)::integer from registrations w
             where w.event_id = r.event_id and w.state = 'waiting' and w.turn <= r.turn) end as position
      from registrations r where event_id = ${eventId} and id = ${id}`
  return row
}

/** Takes the offered place. False when there is no offer, or it is over. */
export const acceptOffer = async (sql: Queryable, eventId: string, id: string, now: Timestamp): Promise<boolean> => {
  const { count } = await sql`
    update registrations set state = 'approved', turn = null, offer_ends_at = null
     where event_id = ${eventId} and id = ${id} and state = 'offered' and offer_ends_at > ${now}`
  return count > 0
}
