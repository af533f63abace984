/**
 * Decides whether people in rooms of the media server may be there, whatever their token: by a read of the live event that begins now, and
 * by the grant behind each token. Any node can judge them.
 */
import { Effect } from "effect"
import { chunksOf } from "effect/Array"
import type { LiveEvents } from "../../actors/live-events.ts"
import type { Media, SeatBasis } from "../../media/seats.ts"
import { parseId } from "../../model/ids.ts"
import type { HeldLink } from "../../model/links.ts"
import type { EventRole } from "../../model/roles.ts"
import { findStoredRoles } from "../../store/accounts/stored-roles.ts"
import type { Database, Queryable } from "../../store/database.ts"
import { linksHold } from "../../store/links/link-states.ts"
import { type Expulsion, RoomAccess } from "./room-access.ts"
import { type MediaRoom, misplaced } from "./room-sweep.ts"

export interface JudgeNeeds {
  readonly live: LiveEvents["Service"]
  readonly database: Database["Service"]
  readonly media: Pick<Media["Service"], "basisOf">
}

export interface Judgement {
  readonly access: RoomAccess
  /** People who have no seat in their room. The live event may assign one again. */
  readonly misplaced: ReadonlyArray<Expulsion>
  /** People whose token is based on a grant that has ended, or whose role has no seat. */
  readonly unfounded: ReadonlyArray<Expulsion>
}

interface Seated {
  readonly room: string
  readonly identity: string
  /** Undefined: the token has no metadata, such as an anonymous person's. */
  readonly basis: SeatBasis | "forged" | undefined
}

const LINKS_PER_STATEMENT = 500

const linkOf = (eventId: string, { ground, givenAt }: SeatBasis): HeldLink => ({
  kind: "media",
  objectId: eventId,
  eventId,
  ground,
  givenAt,
  expiresAt: givenAt,
})

/** Whether each grant still holds, in the order of `seated`. */
const findHolding = async (sql: Queryable, eventId: string, seated: ReadonlyArray<Seated>) => {
  const asked = seated.flatMap(({ basis }) => (basis === undefined || basis === "forged" ? [] : linkOf(eventId, basis)))
  const hold: boolean[] = []
  for (const some of chunksOf(asked, LINKS_PER_STATEMENT)) hold.push(...(await linksHold(sql, some)))
  let next = 0
  return seated.map(({ basis }) => basis === undefined || (basis !== "forged" && hold[next++] === true))
}

/** Whether the person's current role has a seat. A guest's role is that of the grant, or the one that the live event gave. */
const hasSeat = (access: RoomAccess, { identity, basis }: Seated, stored: EventRole | undefined): boolean => {
  const known = access.roleOf(identity) ?? stored
  if (basis === undefined || basis === "forged") return known === undefined || access.seats(known)
  // A token for a given role does not name the role that applies once the given one has ended.
  const role = known ?? (basis.given === null ? basis.ground.role : undefined)
  return role !== undefined && access.seats(role)
}

/**
 * Judges the people in these rooms. Fails with `NotFound` for an event that is not in this database: its rooms belong to another
 * deployment.
 */
export const judge = ({ live, database, media }: JudgeNeeds, eventId: string, rooms: ReadonlyArray<MediaRoom>) => {
  const seated = rooms.flatMap(({ name, people }) =>
    people.map(({ identity, metadata }): Seated => {
      return { room: name, identity, basis: media.basisOf(name, identity, metadata) }
    }),
  )
  return Effect.gen(function* () {
    const { snapshot } = yield* live.read(eventId, [], true)
    const access = new RoomAccess(eventId, { snapshot })
    const identities = new Set(seated.map(({ identity }) => identity))
    const users = [...identities].filter((id) => parseId(id) !== undefined && access.roleOf(id) === undefined)
    const [stored, holding] = yield* database.run((sql) =>
      Promise.all([
        users.length === 0 ? new Map<string, EventRole>() : findStoredRoles(sql, eventId, users),
        findHolding(sql, eventId, seated),
      ]),
    )
    const unfounded = seated
      .filter((one, n) => holding[n] !== true || !hasSeat(access, one, stored.get(one.identity)))
      .map(({ room, identity }): Expulsion => ({ type: "expel", room, participantId: identity }))
    return { access, misplaced: misplaced(access, rooms), unfounded } satisfies Judgement
  })
}
