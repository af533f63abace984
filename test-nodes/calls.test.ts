/** Calls between browsers whose people are on different nodes, as processes that are killed, drained and cut off from each other. */
import postgres from "postgres"
import { expect, onTestFinished, test } from "vitest"
import { Client, type Frame } from "../test/gateway/client.ts"
import { joinCall, lists, PICTURE, untilListed } from "../test/gateway/rtc/call.ts"
import { createLiveEvent, createPerson, createWorkspace, gatewayToken } from "../test/support/api.ts"
import { createTestDatabase } from "../test/support/database.ts"
import { freePort } from "../test/support/free-port.ts"
import { NatsServer } from "../test/support/nats-server.ts"
import { NODES, untilSpread } from "../test/support/nodes.ts"
import { type ServerProcess, startServerProcess } from "../test/support/server-process.ts"
import { temporaryFolder } from "../test/support/temporary-folder.ts"
import { eventually } from "../test/support/wait.ts"

interface Person {
  readonly id: string
  /** A new socket at a node, which is open. */
  readonly connect: (node: ServerProcess) => Promise<Client>
}

interface Cluster {
  readonly nats: NatsServer
  readonly roomId: string
  /** The node that owns the event, and the others. */
  readonly owner: ServerProcess
  readonly others: readonly [ServerProcess, ServerProcess]
  readonly person: (name: string) => Promise<Person>
}

const startNode = async (databaseUrl: string, nats: NatsServer): Promise<ServerProcess> => {
  const port = String(await freePort())
  const node = await startServerProcess({
    MEDIA_PORT: "0",
    PORT: port,
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    DATABASE_URL: databaseUrl,
    DATA_DIR: await temporaryFolder(),
    SECRET_KEY: "secret-key-of-the-calls-test-0123456789",
    NATS_URL: nats.url,
    CLUSTER_ADDRESS: `127.0.0.1:${await freePort()}`,
    CLUSTER_SECRET: "cluster-secret-of-the-tests-0123456789",
  })
  onTestFinished(() => node.end("SIGKILL").then(() => undefined))
  return node
}

/** Three nodes with a broker of their own, and a meeting. */
const openCluster = async (): Promise<Cluster> => {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  const nats = new NatsServer(await freePort())
  await nats.start()
  onTestFinished(() => nats.kill())
  const nodes: ServerProcess[] = []
  // One after the other: a port that was free for one may be taken by the next.
  for (let n = 0; n < NODES; n++) nodes.push(await startNode(database.url, nats))
  await untilSpread(database.url)
  const url = nodes[0]?.url ?? ""
  const { key } = await createWorkspace(url)
  const event = await createLiveEvent(url, key, { phases: [{ modality: "meeting" }] })
  const sql = postgres(database.url, { max: 1 })
  onTestFinished(() => sql.end())
  const [row] = await sql<{ node: string }[]>`select node from live_events where event_id = ${event.id}`
  const owner = nodes.find(({ child }) => row?.node.includes(`:${child.pid}:`))
  const [first, second] = nodes.filter((node) => node !== owner)
  if (owner === undefined || first === undefined || second === undefined) throw new Error("three nodes are needed")
  return {
    nats,
    roomId: event.phases[0].id,
    owner,
    others: [first, second],
    person: async (name) => {
      const { session, userId: id } = await createPerson(url, key, event.id, "participant", name)
      return {
        id,
        connect: async (node) => {
          const { token } = await gatewayToken(first.url, event.id, session)
          const client = new Client(`${node.url.replace("http", "ws")}/v1/gateway`)
          onTestFinished(() => client.socket.terminate())
          await client.identify(token)
          return client
        },
      }
    },
  }
}

/** Resolves to the reply when the call takes it. A participant whose event moves asks again. */
const untilJoined = async (client: Client, roomId: string, resume?: string): Promise<Frame> => {
  let reply: Frame
  await eventually(async () => {
    reply = await joinCall(client, roomId, PICTURE, resume)
    return reply.ok
  }, "the call to take a participant")
  return reply.d
}

const expectSignal = async (from: Client, to: Client, toId: string, data: string): Promise<void> => {
  await eventually(
    async () => (await from.command("rtc.signal", { to: toId, kind: "offer", data, gen: 0 })).ok,
    "a signal to be taken",
  )
  expect((await to.next(({ t, d }) => t === "rtc.signal" && d.data === data, data)).d.kind).toBe("offer")
}

const sizes = (client: Client): ReadonlyArray<number> => lists(client).map(({ peers }) => peers.length)

test("people on different nodes hear of each other, signal both ways, and come back on another node, also when theirs is drained", async () => {
  const { owner, others, roomId, person } = await openCluster()
  const people = [await person("Ann"), await person("Ben"), await person("Cat")] as const
  const names = people.map(({ id }) => id)
  const ann = await people[0].connect(others[0])
  const ben = await people[1].connect(others[1])
  const [annId, benId] = [await untilJoined(ann, roomId), await untilJoined(ben, roomId)].map((d) => d.connectionId)
  const cat = await people[2].connect(owner)
  const catId = (await untilJoined(cat, roomId)).connectionId
  for (const client of [ann, ben, cat]) await untilListed(client, names)
  await expectSignal(ann, ben, benId, "to ben")
  await expectSignal(ben, ann, annId, "to ann")
  const seen = sizes(ben).length
  await ann.cut()
  const back = await people[0].connect(owner)
  expect(await untilJoined(back, roomId, annId)).toEqual({ connectionId: annId, resumed: true })
  await expectSignal(ben, back, annId, "to ann again")
  await expectSignal(back, ben, benId, "from ann again")
  expect(sizes(ben)).toHaveLength(seen)
  // A tab on one more node takes the call over.
  const tab = await people[0].connect(others[1])
  await untilJoined(tab, roomId)
  const closed = await back.next(({ t, d }) => t === "rtc.peers" && d.closed !== undefined, "the end")
  expect(closed.d).toMatchObject({ closed: "replaced", connectionId: annId })
  await untilListed(ben, names)
  const before = sizes(ben).length
  const ended = owner.end("SIGTERM")
  expect(await cat.closeCode()).toBe(4003)
  const again = await people[2].connect(others[0])
  expect(await untilJoined(again, roomId, catId)).toEqual({ connectionId: catId, resumed: true })
  await expectSignal(ben, again, catId, "to cat")
  await ended
  await expectSignal(again, ben, benId, "to ben from cat")
  await expectSignal(ben, again, catId, "to cat at last")
  expect(sizes(ben)).toHaveLength(before)
})

test("the owner is killed in the middle of a call, which goes on under the same ids", async () => {
  const { owner, others, roomId, person } = await openCluster()
  const people = [await person("Ann"), await person("Ben"), await person("Cat")] as const
  const ann = await people[0].connect(others[0])
  const ben = await people[1].connect(others[1])
  // The owner has a socket of the call too.
  const cat = await people[2].connect(owner)
  const ids: string[] = []
  for (const client of [ann, ben, cat]) ids.push((await untilJoined(client, roomId)).connectionId)
  const [annId, benId, catId] = ids as [string, string, string]
  for (const client of [ann, ben])
    await untilListed(
      client,
      people.map(({ id }) => id),
    )
  const seen = [ann, ben].map((client) => sizes(client).length)
  await owner.end("SIGKILL")
  await expectSignal(ann, ben, benId, "to ben after the death")
  await expectSignal(ben, ann, annId, "to ann after the death")
  const back = await people[2].connect(others[1])
  expect(await untilJoined(back, roomId, catId)).toEqual({ connectionId: catId, resumed: true })
  await expectSignal(ann, back, catId, "to cat after the death")
  await expectSignal(back, ann, annId, "from cat after the death")
  // Their browsers noticed nothing.
  expect([ann, ben].map((client) => sizes(client).length)).toEqual(seen)
})

test("a list that was lost with the broker comes when it is back, and the people of a node that was killed are off it after the grace", async () => {
  const { nats, owner, others, roomId, person } = await openCluster()
  const people = [await person("Ann"), await person("Ben"), await person("Cat")] as const
  const ann = await people[0].connect(others[0])
  const ben = await people[1].connect(owner)
  const cat = await people[2].connect(others[1])
  const annId = (await untilJoined(ann, roomId)).connectionId
  for (const client of [ben, cat]) await untilJoined(client, roomId)
  await untilListed(
    ann,
    people.map(({ id }) => id),
  )
  const seen = sizes(ann).length
  await nats.kill()
  // The calls of nodes go another way than the messages back.
  expect(await ben.command("rtc.leave")).toMatchObject({ ok: true })
  expect(await cat.command("rtc.leave")).toMatchObject({ ok: true })
  expect(sizes(ann)).toHaveLength(seen)
  await nats.start()
  await untilListed(ann, [people[0].id])

  await untilJoined(ben, roomId)
  await untilListed(
    ben,
    people.slice(0, 2).map(({ id }) => id),
  )
  await others[0].end("SIGKILL")
  const signal = { to: annId, kind: "offer", data: "v=0", gen: 0 }
  await eventually(
    async () => (await ben.command("rtc.signal", signal)).e?.code === "unavailable",
    "the loss to be noticed",
  )
  await untilListed(ben, [people[1].id])
  expect(await ben.command("rtc.signal", signal)).toMatchObject({ e: { code: "not_found" } })
})
