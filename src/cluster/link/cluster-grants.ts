/** Changes of grants over several nodes: open sockets are checked at once wherever they are. */
import { Effect, Layer } from "effect"
import { type GrantChange, GrantChanges } from "../../identity/grant-changes.ts"
import { Listeners } from "../../model/listeners.ts"
import { NodeLink } from "./node-link.ts"

const SUBJECT = "grants"
/** Agrees with every grant. */
const ANY_CHANGE: GrantChange = {}

export const clusterGrantsLayer: Layer.Layer<GrantChanges, never, NodeLink> = Layer.effect(
  GrantChanges,
  Effect.map(NodeLink, (link) => {
    const { notify, subscribe } = new Listeners<GrantChange>()
    link.subscribe(SUBJECT, (text) => notify(JSON.parse(text) as GrantChange))
    link.onReset(() => notify(ANY_CHANGE))
    return {
      publish: (change) => {
        notify(change)
        link.publish(SUBJECT, JSON.stringify(change))
      },
      subscribe,
    }
  }),
)
