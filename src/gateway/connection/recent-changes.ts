/** Changes of grants, and the question which users they concern. */
import type { GrantChange } from "../../identity/grant-changes.ts"
import type { Basis } from "../../model/grants.ts"

/** The things that a user at an event rests on. */
export interface Ground {
  readonly basis: Basis
  readonly eventId: string
}

/** Changes that are remembered; a look-up lasts milliseconds. */
const KEPT = 1_000

const concerns = (change: GrantChange, { basis, eventId }: Ground): boolean => {
  const own: GrantChange = {
    workspaceId: basis.workspaceId,
    userId: basis.userId,
    eventId,
    ...(basis.login !== null && { accountId: basis.login.accountId, sessionId: basis.login.sessionId }),
    ...(basis.keyId !== null && { keyId: basis.keyId }),
  }
  return (Object.keys(change) as ReadonlyArray<keyof GrantChange>).every((field) => own[field] === change[field])
}

/** The field by which a change is found: the one that fewest sockets share. */
const keyOf = ({ sessionId, userId, keyId, accountId, eventId, workspaceId }: GrantChange): string =>
  sessionId ?? userId ?? keyId ?? accountId ?? eventId ?? workspaceId ?? ""

/** Answers for many sockets whether any of many changes concerns them, at the cost of a few look-ups each. */
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

  concerns(ground: Ground): boolean {
    const { userId, workspaceId, keyId, login } = ground.basis
    const isFound = (key: string | null | undefined): boolean =>
      key != null && (this.#byKey.get(key)?.some((change) => concerns(change, ground)) ?? false)
    return [userId, login?.sessionId, login?.accountId, keyId, ground.eventId, workspaceId].some(isFound)
  }
}

/** The latest changes by their number. */
export class RecentChanges {
  readonly #kept: GrantChange[] = []
  #count = 0

  /** Of the changes so far. */
  get count(): number {
    return this.#count
  }

  add(change: GrantChange): void {
    this.#kept[this.#count % KEPT] = change
    this.#count++
  }

  /** Does one that came after the first `count` concern it? Those that are remembered no longer count as if they did. */
  concernedSince(count: number, ground: Ground): boolean {
    if (this.#count - count > KEPT) return true
    for (let n = count; n < this.#count; n++) {
      const change = this.#kept[n % KEPT]
      if (change !== undefined && concerns(change, ground)) return true
    }
    return false
  }
}
