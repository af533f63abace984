/** A rotation whose pairs see and hear each other: each of six people meets every other one. */
import { afterAll, beforeAll, expect, test } from "vitest"
import { createLiveEvent, createPerson, createWorkspace } from "../test/support/api.ts"
import { startTestServer, type TestServer } from "../test/support/server.ts"
import { eventually } from "../test/support/wait.ts"
import { type Caller, connectionsOf, openCaller, startMedia, untilConnected } from "./callers.ts"
import { type Pages, startPages } from "./pages.ts"

let server: TestServer
let pages: Pages

const NAMES = ["Ann", "Ben", "Cat", "Dan", "Eve", "Fay"]
/** In which everybody meets everybody. */
const ROUNDS = NAMES.length - 1

beforeAll(async () => {
  server = await startTestServer()
  pages = await startPages()
})
afterAll(async () => {
  await pages.stop()
  await server.stop()
})

interface Round {
  readonly n: number
  readonly partners: ReadonlyArray<string>
}

const roundOf = ({ page }: Caller): Promise<Round | null> =>
  page.evaluate(() => {
    const round = window.caller.state?.rooms.round
    return round === null || round === undefined
      ? null
      : { n: round.n, partners: round.partners.map(({ name }) => name) }
  })

/** The three pairs of a round, once everybody has it. */
const pairsOf = async (
  callers: ReadonlyArray<Caller>,
  n: number,
): Promise<ReadonlyArray<readonly [Caller, Caller]>> => {
  const pairs: Array<readonly [Caller, Caller]> = []
  for (const caller of callers) {
    await eventually(async () => (await roundOf(caller))?.n === n, `round ${n} of ${caller.name}`)
    const [partner = ""] = (await roundOf(caller))?.partners ?? []
    const other = callers.find(({ name }) => name === partner)
    if (other !== undefined && caller.name < partner) pairs.push([caller, other])
  }
  return pairs
}

const namesOfPeers = ({ page }: Caller): Promise<ReadonlyArray<string>> =>
  page.evaluate(() => window.call.peers.map(({ name }) => name))

const endOfLastConnection = (caller: Caller): Promise<void> =>
  eventually(async () => (await connectionsOf(caller)).open === 0, "the end of the last connection")

test("in each round every pair sees and hears each other, and no connection is left over", async () => {
  const { key } = await createWorkspace(server.url)
  const { id: eventId } = await createLiveEvent(server.url, key, { phases: [{ modality: "rotation" }] })
  const join = async (name: string, role: string): Promise<Caller> => {
    const { session } = await createPerson(server.url, key, eventId, role, name)
    return openCaller(pages, { url: server.url, eventId, session, name })
  }
  const host = await join("Host", "host")
  const callers = await Promise.all(NAMES.map((name) => join(name, "participant")))
  await Promise.all(callers.map((caller) => startMedia(caller)))
  await host.page.evaluate((rounds) => window.caller.command("rotation.start", { roundSeconds: 600, rounds }), ROUNDS)
  for (let n = 1; n <= ROUNDS; n++) {
    const pairs = await pairsOf(callers, n)
    expect(pairs).toHaveLength(3)
    await Promise.all(pairs.map((pair) => untilConnected(pair)))
    for (const [one, other] of pairs) {
      expect([await namesOfPeers(one), await namesOfPeers(other)]).toEqual([[other.name], [one.name]])
    }
    if (n < ROUNDS) await host.page.evaluate(() => window.caller.command("rotation.skip", {}))
  }
  for (const caller of callers) {
    const { made, open } = await connectionsOf(caller)
    expect(made).toBeGreaterThanOrEqual(ROUNDS)
    expect(open).toBe(1)
  }
  await host.page.evaluate(() => window.caller.command("rotation.stop", {}))
  await Promise.all(callers.map(endOfLastConnection))
})
