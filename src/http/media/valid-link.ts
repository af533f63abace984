/** Claims of a signed address. */
import { Clock, Effect } from "effect"
import { BearerLinks } from "../../identity/links/bearer-links.ts"
import {
  heldLinkOf,
  type LinkAudience,
  type LinkUse,
  type MediaLink,
  MediaLinks,
  type ObjectKind,
} from "../../media/links.ts"
import { NotFound, Unauthorized, type Unavailable } from "../../model/errors.ts"
import { Database } from "../../store/database.ts"
import { findEvent } from "../../store/events/events.ts"

/** Fails for an address that was altered, has expired, is for another use or kind of object, or whose basis has ended. */
export const validLink = (
  token: string,
  uses: ReadonlyArray<LinkUse>,
  kind: ObjectKind,
): Effect.Effect<MediaLink, Unauthorized | Unavailable, BearerLinks | MediaLinks> =>
  Effect.gen(function* () {
    const link = (yield* MediaLinks).verify(token, yield* Clock.currentTimeMillis)
    if (link === "expired") return yield* new Unauthorized({ detail: "The address has expired." })
    const isFor = link !== "altered" && uses.includes(link.use) && link.kind === kind
    if (!isFor) return yield* new Unauthorized({ detail: "The address is not valid." })
    const held = heldLinkOf(link)
    if (held !== undefined) yield* (yield* BearerLinks).admit(held)
    return link
  })

/** Fails when the address was made for the public and the event has become private. `what` names the object. */
export const requireVisible = (
  audience: LinkAudience,
  eventId: string,
  what: string,
): Effect.Effect<void, NotFound | Unavailable, Database> =>
  Effect.gen(function* () {
    if (audience !== "public") return
    const event = yield* (yield* Database).run((sql) => findEvent(sql, eventId))
    if (event === undefined || event.visibility === "private") return yield* NotFound.of(what)
  })
