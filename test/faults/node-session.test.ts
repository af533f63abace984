/** A node's session on the database when the network, the server or the node itself stops for a while. */
import { describe, test } from "vitest"
import { endFormer, NodeSession } from "../../src/store/cluster/node-session.ts"
import { listHeldShards, lockShards } from "../../src/store/cluster/nodes.ts"
import { type ProcessLock, takeProcessLock } from "../../src/store/process-lock.ts"
import { createTestDatabase } from "../support/database.ts"
import { type PostgresProxy, startPostgresProxy } from "../support/postgres-proxy.ts"
import { eventually } from "../support/wait.ts"

interface Place {
  readonly url: string
  readonly proxy: PostgresProxy
  /** Released when the test ends. */
  readonly node: (url: string, lostMs?: number) => Promise<NodeSession | undefined>
  readonly alone: (url: string) => Promise<ProcessLock | undefined>
}

/** A session must open within a third of it, also on a machine that others keep busy. */
const LOST_MS = 6000
/** A silent session is doubted after a sixth of it and given up after a third, with time for a loaded machine in between. */
const PATIENT_MS = 30_000

const placeTest = test.extend<{ readonly place: Place }>({
  place: async ({ task: _ }, use) => {
    const database = await createTestDatabase()
    const proxy = await startPostgresProxy(database.url)
    const taken: ProcessLock[] = []
    const kept = <L extends ProcessLock>(lock: L | undefined): L | undefined => {
      if (lock !== undefined) taken.push(lock)
      return lock
    }
    await use({
      url: database.url,
      proxy,
      node: async (url, lostMs = LOST_MS) => kept(await NodeSession.open(url, lostMs)),
      alone: async (url) => kept(await takeProcessLock(url)),
    })
    for (const lock of taken) await lock.release()
    await proxy.close()
    await database.drop()
  },
})

const shardsOf = async (node: NodeSession | undefined, wanted: ReadonlyArray<number>) =>
  node?.run((sql) => lockShards(sql, wanted))

describe.concurrent("a node's session", () => {
  placeTest("nodes share the database, and a server that runs alone is refused", async ({ place, expect }) => {
    const [first, second] = [await place.node(place.url), await place.node(place.url)]
    expect([first?.held(), second?.held()]).toEqual([true, true])
    expect(await place.alone(place.url)).toBeUndefined()
  })

  placeTest("a node is refused while a server runs alone, and not after it", async ({ place, expect }) => {
    const alone = await place.alone(place.url)
    expect(await place.node(place.url)).toBeUndefined()
    await alone?.release()
    expect((await place.node(place.url))?.held()).toBe(true)
  })

  placeTest("a node without work keeps its session", async ({ place, expect }) => {
    const node = await place.node(place.url)
    await shardsOf(node, [1])
    // timed: a session that ends gives a signal, and one that does not gives none.
    await new Promise((resolve) => setTimeout(resolve, 2 * LOST_MS))
    expect(node?.held()).toBe(true)
    expect(await node?.run(listHeldShards)).toEqual(new Set([1]))
  })

  placeTest(
    "a node whose machine fell silent loses its shards to another, knows it by its clock, and comes back without them",
    async ({ place, expect }) => {
      const [silent, other] = [await place.node(place.proxy.url), await place.node(place.url)]
      await shardsOf(silent, [1, 2])
      expect(await shardsOf(other, [1])).toEqual([])
      place.proxy.silence("all")
      await expect.poll(() => shardsOf(other, [1, 2])).toEqual([1, 2])
      // It knew that it is lost before another node could have its shards.
      expect(silent?.held()).toBe(false)
      place.proxy.heal()
      await eventually(() => silent?.held() === true, "the node to be back")
      expect(await silent?.run(listHeldShards)).toEqual(new Set())
    },
  )

  placeTest("a session that was cut is replaced, and holds nothing against the next one", async ({ place, expect }) => {
    const node = await place.node(place.proxy.url)
    await shardsOf(node, [1])
    place.proxy.reset()
    await eventually(() => node?.held() === true, "a new session")
    expect(await shardsOf(node, [1, 2])).toEqual([1, 2])
    expect(await node?.run(listHeldShards)).toEqual(new Set([1, 2]))
  })

  placeTest("a statement whose session fell silent is answered on the next one", async ({ place, expect }) => {
    const node = await place.node(place.proxy.url, PATIENT_MS)
    await shardsOf(node, [1])
    place.proxy.silence("open")
    // A caller would be refused after a third of the time after which the node is lost.
    expect(await shardsOf(node, [2])).toEqual([2])
    expect(node?.held()).toBe(true)
  })

  placeTest("a session that answers late is kept while no new one answers", async ({ place, expect }) => {
    const node = await place.node(place.proxy.url, PATIENT_MS)
    await shardsOf(node, [1])
    place.proxy.silence("all")
    const before = place.proxy.counts().connections
    const answer = node?.run(listHeldShards)
    await eventually(() => place.proxy.counts().connections > before, "the session to be doubted")
    place.proxy.heal(({ id }) => id <= before)
    expect(await answer).toEqual(new Set([1]))
    place.proxy.heal()
    expect(await node?.run(listHeldShards)).toEqual(new Set([1]))
  })

  placeTest("a session that answers while a new one is being opened is kept", async ({ place, expect }) => {
    const node = await place.node(place.proxy.url, PATIENT_MS)
    await shardsOf(node, [1])
    let release: () => void = () => {}
    const answered = new Promise<void>((resolve) => {
      release = resolve
    })
    const opening = place.proxy.onStatement({
      match: /pg_try_advisory_lock_shared/,
      action: { kind: "hold", until: answered },
    })
    place.proxy.silence("open")
    const answer = node?.run(listHeldShards)
    await opening.reached(1)
    place.proxy.heal()
    expect(await answer).toEqual(new Set([1]))
    release()
    await eventually(() => place.proxy.connections().length === 1, "the new session to be closed")
    expect(await node?.run(listHeldShards)).toEqual(new Set([1]))
  })

  placeTest(
    "a node that lost its session to a server that runs alone stays out until that ends",
    async ({ place, expect }) => {
      const node = await place.node(place.proxy.url)
      place.proxy.silence("all")
      await eventually(() => node?.held() === false)
      const alone = await place.alone(place.url)
      expect(alone?.held()).toBe(true)
      place.proxy.heal()
      // A session that was being opened in the silence fails with a deadline instead.
      const refusal = async () => `${await node?.run(listHeldShards).catch(String)}`
      await eventually(async () => (await refusal()).includes("A server that runs alone holds the database."))
      expect(node?.held()).toBe(false)
      await alone?.release()
      await eventually(() => node?.held() === true, "the node to be back")
    },
  )

  placeTest("sessions of replacements that fail are forgotten when they must have ended", async ({ place }) => {
    // Also a loaded machine makes thirty tries within two losses.
    const node = await place.node(place.proxy.url, 4000)
    let former = 0
    let isRefused = true
    if (node !== undefined) {
      node.onReplaced = async (step, sessions) => {
        former = sessions.length
        if (isRefused) throw new Error("refused")
        await endFormer(step, sessions)
      }
    }
    place.proxy.reset()
    await eventually(async () => {
      await node?.run(listHeldShards).catch(() => {})
      return former >= 30
    }, "many failed replacements")
    // Those of the beats are among them still.
    await eventually(() => former < 20, "the earlier ones to be forgotten")
    isRefused = false
    // A loaded machine may not connect within the deadline of one try.
    await eventually(async () => (await node?.run(listHeldShards).catch(() => undefined))?.size === 0)
  })
})

/** Not beside others: the whole process stands still. */
placeTest("a node that was stopped for long knows it at the first answer that it reads", async ({ place, expect }) => {
  // A session that is not open in time is tried again.
  const lostMs = 2000
  const node = await place.node(place.proxy.url, lostMs)
  const wasHeld = node?.run(async (sql) => void (await sql`select pg_sleep(0.2)`)).then(() => node.held())
  await place.proxy.seen(/pg_sleep/)
  // timed: the process stands still on purpose.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 * lostMs)
  expect(await wasHeld).toBe(false)
  await eventually(() => node?.held() === true, "the node to be back")
})
