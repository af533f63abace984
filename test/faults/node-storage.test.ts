/** What other nodes see of a node whose session on the database is replaced. */
import { Effect } from "effect"
import { Runner, RunnerAddress, ShardId } from "effect/cluster"
import { describe, test } from "vitest"
import { makeNodeStorage } from "../../src/cluster/node-storage.ts"
import { NodeSession } from "../../src/store/cluster/node-session.ts"
import { listNodes, lockShards } from "../../src/store/cluster/nodes.ts"
import { createTestDatabase } from "../support/database.ts"
import { type PostgresProxy, startPostgresProxy } from "../support/postgres-proxy.ts"
import { eventually } from "../support/wait.ts"

/** A session is replaced in steps of a twelfth of it, also on a machine that others keep busy. */
const LOST_MS = 12_000
const SHARDS = [1, 2, 3].map((shard) => ShardId.make("default", shard))

interface Place {
  readonly proxy: PostgresProxy
  readonly storage: ReturnType<typeof makeNodeStorage>
  readonly address: RunnerAddress.RunnerAddress
  readonly register: () => Promise<unknown>
  /** How often the session was replaced. */
  readonly replaced: () => number
  /** A session of another node. */
  readonly other: NodeSession
}

const opened = async (url: string): Promise<NodeSession> => {
  const session = await NodeSession.open(url, LOST_MS)
  if (session === undefined) throw new Error("a server that runs alone holds the database")
  return session
}

const unregisteredTest = test.extend<{ readonly place: Place }>({
  place: async ({ task: _ }, use) => {
    const database = await createTestDatabase()
    const proxy = await startPostgresProxy(database.url)
    const [session, other] = [await opened(proxy.url), await opened(database.url)]
    let replaced = 0
    const storage = makeNodeStorage({
      session,
      node: "first",
      acquireWithinMs: LOST_MS / 3,
      seen: () => {},
      arrived: () => {},
      returned: () => replaced++,
    })
    const address = RunnerAddress.make("127.0.0.1", 7001)
    const register = () =>
      Effect.runPromise(storage.register(Runner.make({ address, groups: ["default"], weight: 1 }), true))
    await use({ proxy, storage, address, register, replaced: () => replaced, other })
    await session.release()
    await other.release()
    await proxy.close()
    await database.drop()
  },
})

/** The node is registered, and has the shards. */
const placeTest = unregisteredTest.extend<{ readonly ready: undefined }>({
  ready: [
    async ({ place: { address, register, storage } }, use) => {
      await register()
      await Effect.runPromise(storage.acquire(address, SHARDS))
      await use(undefined)
    },
    { auto: true },
  ],
})

/** The answer to the statement that `ask` sends comes when its session has been ended, and before the replacement is done. */
const answeredLate = async <A>({ proxy }: Place, match: RegExp, ask: () => Promise<A>): Promise<A> => {
  const [sent, ended] = [proxy.seen(match), proxy.seen(/pg_terminate_backend/)]
  proxy.onStatement({ match: /pg_terminate_backend/, action: { kind: "delay", ms: 100 } })
  const answer = ask()
  await sent
  proxy.silence("open")
  await ended
  proxy.heal()
  return answer
}

/** Looks at the nodes again and again, as another node does, until it is told to stop: how often the node was not there. */
const watch = (other: NodeSession) => {
  let isOver = false
  const looks = (async () => {
    let absent = 0
    while (!isOver) {
      const [row] = await other.run(listNodes)
      if (row?.isLiving !== true) absent++
    }
    return absent
  })()
  return (): Promise<number> => {
    isOver = true
    return looks
  }
}

const held = ({ storage, address }: Place) => Effect.runPromise(storage.refresh(address, SHARDS))

describe.concurrent("a node's session that is replaced", () => {
  placeTest(
    "one that fell silent is followed by another, and no other node sees its end",
    async ({ place, expect }) => {
      const absent = watch(place.other)
      place.proxy.silence("open")
      expect(await held(place)).toEqual(SHARDS)
      await eventually(() => place.replaced() === 1, "another session")
      expect(await held(place)).toEqual(SHARDS)
      expect(await absent()).toBe(0)
      expect(await place.other.run((sql) => lockShards(sql, [1, 2, 3]))).toEqual([])
    },
  )

  placeTest("one that was cut takes its shards again, before the next question for them", async ({ place, expect }) => {
    place.proxy.reset()
    await eventually(() => place.replaced() === 1, "another session")
    expect(await held(place)).toEqual(SHARDS)
    expect(await place.other.run(listNodes)).toMatchObject([{ node: "first", isLiving: true }])
  })

  placeTest(
    "a node that hears nothing of PostgreSQL keeps its shards until it counts as lost",
    async ({ place, expect }) => {
      place.proxy.silence("all")
      const silentSince = performance.now()
      expect(await held(place)).toEqual(SHARDS)
      // timed: the node counts as lost by its clock alone.
      await eventually(() => performance.now() - silentSince > LOST_MS, "the node to count as lost")
      await expect(held(place)).rejects.toThrow()
      place.proxy.heal()
      await eventually(() => place.replaced() === 1, "another session")
      expect(await held(place)).toEqual(SHARDS)
    },
  )

  placeTest("shards that another node took meanwhile are not among them", async ({ place, expect }) => {
    place.proxy.silence("all")
    await eventually(async () => (await place.other.run((sql) => lockShards(sql, [2]))).length === 1, "the shard")
    place.proxy.heal()
    await eventually(() => place.replaced() === 1, "another session")
    expect(await held(place)).toEqual([SHARDS[0], SHARDS[2]])
  })

  placeTest("a shard that was let go of is not taken again", async ({ place, expect }) => {
    const [first] = SHARDS
    if (first !== undefined) await Effect.runPromise(place.storage.release(place.address, first))
    place.proxy.silence("open")
    await held(place)
    await eventually(() => place.replaced() === 1, "another session")
    expect(await held(place)).toEqual(SHARDS.slice(1))
    expect(await place.other.run((sql) => lockShards(sql, [1, 2, 3]))).toEqual([1])
  })

  unregisteredTest("a node that is registered meanwhile lives", async ({ place, expect }) => {
    await answeredLate(place, /insert into cluster_nodes/, place.register)
    await eventually(() => place.replaced() === 1, "another session")
    expect(await place.other.run(listNodes)).toMatchObject([{ node: "first", isLiving: true }])
  })

  unregisteredTest("shards that come meanwhile are this node's", async ({ place, expect }) => {
    await place.register()
    const acquire = () => Effect.runPromise(place.storage.acquire(place.address, SHARDS))
    expect(await answeredLate(place, /pg_try_advisory_lock\(.*shard/s, acquire)).toEqual(SHARDS)
    expect(await place.other.run((sql) => lockShards(sql, [1, 2, 3]))).toEqual([])
  })

  placeTest(
    "a shard that the engine does not know is let go of while it asks for another one",
    async ({ place, expect }) => {
      const { storage, address, other } = place
      const fourth = ShardId.make("default", 4)
      await other.run((sql) => lockShards(sql, [4]))
      // The engine has the first two. It asks for the fourth again and again, which another node has.
      let isOver = false
      const asking = (async () => {
        while (!isOver) await Effect.runPromise(storage.acquire(address, [fourth]))
      })()
      const isFree = async () => {
        await Effect.runPromise(storage.refresh(address, SHARDS.slice(0, 2)))
        return (await other.run((sql) => lockShards(sql, [1, 2, 3]))).includes(3)
      }
      await eventually(isFree, "the third shard to be free", 5 * LOST_MS)
      expect(await held(place)).toEqual(SHARDS.slice(0, 2))
      isOver = true
      await asking
    },
  )
})
