/** Nodes and their shards, on real sessions: which node lives, and who holds what. */
import { afterEach, beforeEach, expect, test } from "vitest"
import { NodeSession } from "../../src/store/cluster/node-session.ts"
import {
  listHeldShards,
  listNodes,
  lockShards,
  registerNode,
  unlockShard,
  unlockShards,
  unregisterNode,
} from "../../src/store/cluster/nodes.ts"
import { createTestDatabase, type TestDatabase } from "../support/database.ts"

const LOST_MS = 6000

let database: TestDatabase
const sessions: NodeSession[] = []

beforeEach(async () => {
  database = await createTestDatabase()
})

afterEach(async () => {
  for (const session of sessions.splice(0)) await session.release()
  await database.drop()
})

const open = async (): Promise<NodeSession> => {
  const session = await NodeSession.open(database.url, LOST_MS)
  if (session === undefined) throw new Error("the database is held by a server that runs alone")
  sessions.push(session)
  return session
}

const register = (session: NodeSession, address: string, node = address) =>
  session.run((sql) => registerNode(sql, { address, node, runner: `runner of ${node}` }))

const living = async (session: NodeSession) =>
  (await session.run(listNodes)).flatMap(({ node, isLiving }) => (isLiving ? [node] : [])).toSorted()

test("a node lives for as long as its session does, and its row shows how it is reached", async () => {
  const [first, second] = [await open(), await open()]
  await register(first, "a:1")
  await register(second, "b:1")
  expect(await living(first)).toEqual(["a:1", "b:1"])
  expect(await second.run(listNodes)).toContainEqual({
    address: "a:1",
    node: "a:1",
    runner: "runner of a:1",
    isLiving: true,
  })
  await second.release()
  await expect.poll(() => living(first)).toEqual(["a:1"])
})

test("a node that lives keeps its address, and one that ended leaves it to the next", async () => {
  const [first, second, third] = [await open(), await open(), await open()]
  const id = await register(first, "a:1", "old")
  expect(await register(second, "a:1", "new")).toBeNull()
  expect(await living(second)).toEqual(["old"])
  await first.release()
  await expect.poll(() => register(second, "a:1", "new")).toEqual(expect.any(Number))
  expect(await living(second)).toEqual(["new"])
  expect(await register(third, "b:1")).toBeGreaterThan(id ?? 0)
})

test("a node that leaves takes its row with it, and the rows that others left behind long ago", async () => {
  const [first, second, third] = [await open(), await open(), await open()]
  await register(first, "a:1")
  await register(second, "b:1")
  await register(third, "c:1")
  await second.release()
  await first.run(async (sql) => {
    await sql`update cluster_nodes set registered_at = now() - interval '2 hours' where address in ('b:1', 'c:1')`
  })
  await expect.poll(() => living(first)).toEqual(["a:1", "c:1"])
  await first.run((sql) => unregisterNode(sql, "a:1"))
  expect((await third.run(listNodes)).map(({ node }) => node)).toEqual(["c:1"])
})

test("each shard has one holder, and a session lets go of one, of all, or of everything when it ends", async () => {
  const [first, second] = [await open(), await open()]
  await register(first, "a:1")
  expect(await first.run((sql) => lockShards(sql, [1, 2, 3]))).toEqual([1, 2, 3])
  expect(await second.run((sql) => lockShards(sql, [2, 3, 4]))).toEqual([4])
  expect(await first.run(listHeldShards)).toEqual(new Set([1, 2, 3]))
  await first.run((sql) => unlockShard(sql, 2))
  expect(await second.run((sql) => lockShards(sql, [1, 2, 3]))).toEqual([2])
  await first.run(unlockShards)
  expect(await first.run(listHeldShards)).toEqual(new Set())
  // The lock of its row and the lock of the process are not shards.
  expect(await living(second)).toEqual(["a:1"])
  expect(first.held()).toBe(true)
  await second.release()
  await expect.poll(() => first.run((sql) => lockShards(sql, [4]))).toEqual([4])
})
