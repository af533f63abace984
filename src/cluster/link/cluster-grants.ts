/** Changes of grants across several nodes: open sockets are checked at once on every node, and each node reports when it has done so. */
import { Effect, Layer } from "effect"
import { LRUCache } from "lru-cache"
import { Ownership } from "../../actors/ownership/ownership.ts"
import { type ForgottenRole, type GrantChange, GrantChanges, grantChangesHere } from "../../identity/grant-changes.ts"
import { newId } from "../../model/ids.ts"
import { NodeLink } from "./node-link.ts"

const SUBJECT = "grants"
/** Subject of the question whether all changes published before are applied. */
const ASKED = "grants.asked"
/** Subject of the answers. */
const ANSWERED = "grants.answered"
/** A change that matches every grant. */
const ANY_CHANGE: GrantChange = {}
/** Most open questions; the callers of older ones have given up. */
const MOST_ASKED = 10_000

interface Asked {
  readonly ask: string
  readonly forgotten: ReadonlyArray<ForgottenRole>
}

interface Answered {
  readonly ask: string
  readonly node: string
}

export const clusterGrantsLayer: Layer.Layer<GrantChanges, never, NodeLink | Ownership> = Layer.effect(
  GrantChanges,
  Effect.gen(function* () {
    const link = yield* NodeLink
    const { node, others } = yield* Ownership
    const here = grantChangesHere()
    const open = new LRUCache<string, { readonly missing: Set<string>; readonly answered: () => void }>({
      max: MOST_ASKED,
    })
    link.subscribe(SUBJECT, (text) => here.publish(JSON.parse(text) as GrantChange))
    link.onReset(() => here.publish(ANY_CHANGE))
    // A publisher's messages arrive in order: everything that it published before has arrived by now.
    link.subscribe(ASKED, (text) => {
      const { ask, forgotten } = JSON.parse(text) as Asked
      const answer: Answered = { ask, node }
      void here.settled(forgotten).then(() => link.publish(ANSWERED, JSON.stringify(answer)))
    })
    link.subscribe(ANSWERED, (text) => {
      const { ask, node: from } = JSON.parse(text) as Answered
      const asked = open.get(ask)
      if (asked?.missing.delete(from) !== true || asked.missing.size > 0) return
      open.delete(ask)
      asked.answered()
    })
    const settledElsewhere = (forgotten: ReadonlyArray<ForgottenRole>): Promise<void> =>
      new Promise((answered) => {
        const missing = new Set(others())
        if (missing.size === 0) return answered()
        const asked: Asked = { ask: newId(), forgotten }
        open.set(asked.ask, { missing, answered })
        return link.publish(ASKED, JSON.stringify(asked))
      })
    return {
      ...here,
      publish: (change) => {
        here.publish(change)
        link.publish(SUBJECT, JSON.stringify(change))
      },
      settled: async (forgotten) => {
        await Promise.all([here.settled(forgotten), settledElsewhere(forgotten)])
      },
    }
  }),
)
