/** The claims of a signed address. */
import { Clock, Effect } from "effect"
import { type Link, type LinkKind, type LinkUse, MediaLinks } from "../../media/links.ts"
import { Unauthorized } from "../../model/errors.ts"

/** Fails for an address that was altered, has expired, or is for another use or kind of object. */
export const validLink = (
  token: string,
  uses: ReadonlyArray<LinkUse>,
  kind: LinkKind,
): Effect.Effect<Link, Unauthorized, MediaLinks> =>
  Effect.gen(function* () {
    const link = (yield* MediaLinks).verify(token, yield* Clock.currentTimeMillis)
    if (link === "expired") return yield* new Unauthorized({ detail: "The address has expired." })
    const isFor = link !== "altered" && uses.includes(link.use) && link.kind === kind
    return isFor ? link : yield* new Unauthorized({ detail: "The address is not valid." })
  })
