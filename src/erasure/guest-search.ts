/** Searches for a partner's guest at all events of a workspace, in bounded steps: other requests use the connection in between. */
import { Effect } from "effect"
import type { Unavailable } from "../model/errors.ts"
import type { Guest } from "../model/participants.ts"
import type { Database } from "../store/database.ts"
import type { PagePosition } from "../store/page.ts"
import { type GuestPlace, type SearchStep, searchGuest } from "../store/personal/guests.ts"

/** `now`: Unix milliseconds. */
export const findGuest = (
  database: Database["Service"],
  where: { readonly workspaceId: string; readonly guest: Guest },
  now: number,
): Effect.Effect<ReadonlyArray<GuestPlace>, Unavailable> =>
  Effect.gen(function* () {
    const found: GuestPlace[] = []
    let after: PagePosition | null = null
    do {
      const from: PagePosition | null = after
      const step: SearchStep = yield* database.run((sql) => searchGuest(sql, where, from, now))
      found.push(...step.places)
      after = step.last
    } while (after !== null)
    return found
  })
