/** An event as anyone may read it. */
import type { rest } from "./rest.ts"

export type PublicEvent = Awaited<ReturnType<(typeof rest)["getPublicEvent"]>>
