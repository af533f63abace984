/** Grant changes, and the users and guests concerned by them. */
import type { GrantChange } from "../../identity/grant-changes.ts"
import type { Basis } from "../../model/grants.ts"

/** The facts on which a user's access to an event depends. */
export interface UserGround {
  readonly basis: Basis
  readonly eventId: string
}

/** The facts on which the access of a partner's guest depends. */
export interface GuestGround {
  readonly guestId: string
  readonly eventId: string
}

export type GrantGround = UserGround | GuestGround

/** Number of changes kept: more than come during a look-up of milliseconds. */
const KEPT = 1_000

const fieldsOf = (ground: GrantGround): GrantChange => {
  if ("guestId" in ground) return { guestId: ground.guestId, eventId: ground.eventId }
  const { basis, eventId } = ground
  return {
    workspaceId: basis.workspaceId,
    userId: basis.userId,
    eventId,
    ...(basis.login !== null && { accountId: basis.login.accountId, sessionId: basis.login.sessionId }),
    ...(basis.keyId !== null && { keyId: basis.keyId }),
  }
}

const concerns = (change: GrantChange, ground: GrantGround): boolean => {
  const own = fieldsOf(ground)
  return (Object.keys(change) as ReadonlyArray<keyof GrantChange>).every((field) => own[field] === change[field])
}

/** Key of a change without any field, which concerns every socket. */
const OF_ALL = ""

/** The field by which a change is found: the one shared by the fewest sockets. */
const keyOf = ({ sessionId, userId, guestId, keyId, accountId, eventId, workspaceId }: GrantChange): string =>
  sessionId ?? userId ?? guestId ?? keyId ?? accountId ?? eventId ?? workspaceId ?? OF_ALL

/** Checks many sockets against many changes, at the cost of a few look-ups each. */
export class ChangeIndex {
  readonly #byKey = new Map<string, GrantChange[]>()

  constructor(changes: ReadonlyArray<GrantChange>) {
    for (const change of changes) {
      const key = keyOf(change)
      const same = this.#byKey.get(key)
      if (same === undefined) this.#byKey.set(key, [change])
      else same.push(change)
    }
  }

  concerns(ground: GrantGround): boolean {
    const isFound = (key: string): boolean => this.#byKey.get(key)?.some((change) => concerns(change, ground)) ?? false
    return [...Object.values(fieldsOf(ground)), OF_ALL].some(isFound)
  }
}

/** The latest changes, numbered. */
export class RecentChanges {
  readonly #kept: GrantChange[] = []
  #count = 0

  /** Number of changes so far. */
  get count(): number {
    return this.#count
  }

  add(change: GrantChange): void {
    this.#kept[this.#count % KEPT] = change
    this.#count++
  }

  /** Whether a change after the first `count` concerns the participant. Changes that are no longer kept count as if they did. */
  concernedSince(count: number, ground: GrantGround): boolean {
    if (this.#count - count > KEPT) return true
    for (let n = count; n < this.#count; n++) {
      const change = this.#kept[n % KEPT]
      if (change !== undefined && concerns(change, ground)) return true
    }
    return false
  }
}
