/** Broadcasts of a process that owns all of them. */
import { Effect } from "effect"
import { type BroadcastPlacement, detailOf, ownReport } from "./broadcasts.ts"
import { ownPort } from "./encoder-port.ts"
import type { OwnBroadcasts } from "./own-broadcasts.ts"

export const ownOnly = (own: OwnBroadcasts["Service"]): BroadcastPlacement => ({
  peek: (id) => own.opened.use(id),
  open: own.open,
  refresh: () => own.refresh,
  admit: (tokenHash) => Effect.map(own.admit(tokenHash), ({ one, link }) => ownPort(one, link)),
  finish: ({ id }) => own.finish(id),
  detailOf: ({ id }) => Effect.map(own.open(id), (one) => detailOf(own.opened, one)),
  encoderOf: (eventId) => ownReport(own.opened, eventId),
})
