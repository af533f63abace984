/** Reads of live events that are late are sent once more, and the number of callers that wait for a connection is bounded. */
import { randomUUID } from "node:crypto"
import { describe, expect, test } from "vitest"
import { eventually, settlesWithin } from "../support/wait.ts"
import { poolPlace, settle, tally } from "./pool-place.ts"

const at = poolPlace()
const { openPool, stored } = at

describe("a read of a live event whose answer is late is sent once more", () => {
  const sent = async (text: string): Promise<number> =>
    (await at.direct`select 1 from notes_asked where text = ${text}`).length
  /** A read that leaves a trace of having run. */
  const ask = (text: string) => at.pool.liveReads`insert into notes_asked (text) values (${text}) returning text`

  test("over another connection, and the first answer counts", async () => {
    openPool()
    await at.pool.sql`select 1`
    at.proxy.onStatement({ match: /notes_asked/, action: { kind: "drop" }, times: 1 })
    // The statement that was swallowed alone would have no answer.
    expect(await ask("late")).toEqual([{ text: "late" }])
    await eventually(() => at.destroyed.includes("deadline"))
    expect(await sent("late")).toBe(1)
  })

  test("and not when it is answered in time, or refused", async () => {
    // The second is due after six seconds.
    openPool({ deadlineMs: 30_000 })
    await at.pool.sql`select 1`
    const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length
    const before = timers()
    await ask("soon")
    const refused = settle(at.pool.liveReads`insert into notes_asked (text) values (${null})`)
    expect(await refused).toBe("23502")
    // Timers of the test before may end meanwhile.
    expect(timers()).toBeLessThanOrEqual(before)
    expect(await sent("soon")).toBe(1)
  })

  test("and not while callers wait for a connection", async () => {
    openPool({ connections: 1, deadlineMs: 8_000 })
    await at.pool.sql`select 1`
    // The second is due after 1.6 seconds, when another caller waits.
    const slow = settle(at.pool.liveReads`insert into notes_asked (text) select 'slow' from pg_sleep(2)`)
    const waiting = settle(at.pool.sql`select 1`)
    expect([await slow, await waiting]).toEqual(["done", "done"])
    expect(await sent("slow")).toBe(1)
  })

  test("and leaves no timer when the pool is closed, which would keep the process from its end", async () => {
    openPool()
    await at.pool.close(100)
    const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length
    const before = timers()
    expect(await settle(at.pool.liveReads`select 1`)).toBe("POOL_CLOSED")
    expect(timers()).toBeLessThanOrEqual(before)
  })

  test("and costs no connection when the server is slow: its own limit ends both", async () => {
    openPool()
    await Promise.all([at.pool.sql`select 1`, at.pool.sql`select 2`, at.pool.sql`select 3`])
    expect(await settle(at.pool.liveReads`select pg_sleep(5)`)).toBe("57014")
    expect(at.destroyed).toEqual([])
  })

  test("and fails within the deadline when neither is answered", async () => {
    openPool()
    await at.pool.sql`select 1`
    at.proxy.onStatement({ match: /notes_asked/, action: { kind: "drop" } })
    const asked = settle(ask("never"))
    // With a deadline of its own the second statement would end later.
    expect([await settlesWithin(6_000, asked), await asked]).toEqual([true, "POOL_DEADLINE"])
    expect(await sent("never")).toBe(0)
  })
})

describe("the number of waiting callers is bounded", () => {
  test("one more than may wait is refused at once, and a live event's statement is not", async () => {
    openPool({ connections: 1, waiting: 20 })
    await at.pool.sql`select 1`
    const busy = settle(at.pool.sql`select pg_sleep(0.3)`)
    const waiting = Array.from({ length: 20 }, () => settle(at.pool.sql`select 1`))
    expect(await settle(at.pool.sql`select 1`)).toBe("POOL_FULL")
    expect(at.pool.stats).toMatchObject({ size: 1, open: 1, inUse: 1, waiting: 20 })
    expect(await settle(at.pool.liveSql`select 1`)).toBe("done")
    expect(tally(await Promise.all([busy, ...waiting]))).toEqual({ done: 21 })
  })

  test("a live event's statement overtakes those that wait, and does not starve them", async () => {
    openPool({ connections: 1 })
    await at.pool.sql`select 1`
    const order: string[] = []
    const note = (name: string) => () => void order.push(name)
    // `then` sends it at once; awaited it would be sent in a later turn.
    const busy = at.pool.sql`select pg_sleep(0.1)`.then(note("busy"))
    const work = [
      ...Array.from({ length: 3 }, () => at.pool.sql`select 1`.then(note("request"))),
      ...Array.from({ length: 6 }, () => at.pool.liveSql`select 1`.then(note("live"))),
    ]
    await Promise.all([busy, ...work])
    expect(order.join(" ")).toBe("busy live live live live request live live request request")
  })

  test("closing lets statements under way finish, refuses the rest and leaves no session behind", async () => {
    openPool({ connections: 2 })
    await at.pool.sql`select 1`
    const id = randomUUID()
    const last = settle(at.pool.sql`insert into notes (id) select ${id} from pg_sleep(0.1)`)
    await at.proxy.seen(/pg_sleep/)
    await at.pool.close(2_000)
    expect(await last).toBe("done")
    expect(await settle(at.pool.sql`select 1`)).toBe("POOL_CLOSED")
    expect(await stored()).toEqual(new Set([id]))
    await eventually(async () => {
      const rows =
        await at.direct`select 1 from pg_stat_activity where application_name = 'gathercue' and datname = current_database()`
      return rows.length === 0
    })
  })
})
