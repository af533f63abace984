/** A participant's connections over all nodes are those that the nodes have, in the order of their opening. */
import fc from "fast-check"
import { expect, test } from "vitest"
import { type OpenConnection, reported, surplus, withoutNode } from "../../src/actors/presence/open-connections.ts"

const act = fc.record({
  kind: fc.constantFrom("open", "open", "close", "lose", "repeat"),
  node: fc.constantFrom("a", "b", "c"),
  which: fc.nat(4),
})

test("whatever opens and closes on which node, and however often a node repeats its report", () => {
  fc.assert(
    fc.property(fc.array(act, { maxLength: 40 }), fc.integer({ min: 1, max: 5 }), (acts, most) => {
      // All nodes count from one, so that their numbers are the same.
      const opened = { a: 0, b: 0, c: 0 }
      let open: OpenConnection[] = []
      let known: ReadonlyArray<OpenConnection> = []
      for (const { kind, node, which } of acts) {
        const here = open.filter((one) => one.node === node)
        const closed = here[which % Math.max(1, here.length)]
        if (kind === "open") open.push({ node, connection: ++opened[node] })
        if (kind === "close") open = open.filter((one) => one !== closed)
        if (kind === "lose") open = open.filter((one) => one.node !== node)
        const [first, ...more] = open.filter((one) => one.node === node).map(({ connection }) => connection)
        known =
          first === undefined ? withoutNode(known, node) : reported(known, { node, connections: [first, ...more] })
        expect(known).toEqual(open)
        expect(surplus(known, most)).toEqual(open.slice(0, Math.max(0, open.length - most)))
      }
    }),
    { numRuns: 500 },
  )
})
