/**
 * The connection pool against a real PostgreSQL behind a proxy that breaks things. Expectations are read from the database
 * by another client, never from the pool.
 */
import { randomUUID } from "node:crypto"
import { describe, expect, test } from "vitest"
import { eventually, settlesWithin } from "../support/wait.ts"
import { poolPlace, type Settled, settle, tally } from "./pool-place.ts"

const at = poolPlace()
const { openPool, stored } = at

const insert = (id: string, sql = at.pool.sql): Promise<unknown> =>
  Promise.resolve(sql`insert into notes (id) values (${id})`)

/** The whole process stands still. */
const standStill = (ms: number): void => {
  // timed: on purpose.
  if (ms > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

const answersAgain = (): Promise<void> =>
  eventually(async () => (await settle(at.pool.sql`select 1`)) === "done", "a statement to be answered")

describe("every acknowledged write is stored", () => {
  test("after a thousand statements that waited, and ten transactions among them", async () => {
    openPool({ waiting: 5_000, deadlineMs: 30_000 })
    await at.pool.sql`select 1`
    at.proxy.delayReplies(20)
    const statements = Array.from({ length: 1_000 }, () => settle(at.pool.sql`select 1`))
    const transactions = Array.from({ length: 10 }, () =>
      settle(at.pool.transaction(async (sql) => void (await sql`select 2`))),
    )
    at.proxy.delayReplies(0)
    expect(tally(await Promise.all([...statements, ...transactions]))).toEqual({ done: 1_010 })
    const ids = Array.from({ length: 100 }, () => randomUUID())
    expect(tally(await Promise.all(ids.map((id) => settle(insert(id)))))).toEqual({ done: 100 })
    const found = await stored()
    expect(ids.filter((id) => !found.has(id))).toEqual([])
    expect(at.destroyed).toEqual([])
  })

  test("of a transaction whose hundreds of statements are sent at once, all or nothing", async () => {
    openPool()
    const ids = Array.from({ length: 400 }, () => randomUUID())
    await at.pool.transaction((sql) => Promise.all(ids.map((id) => insert(id, sql))))
    expect((await stored()).size).toBe(400)
    const again = at.pool.transaction((sql) => Promise.all([randomUUID(), ...ids].map((id) => insert(id, sql))))
    expect(await settle(again)).toBe("23505")
    expect((await stored()).size).toBe(400)
    // The connection was in a failed transaction, and is not any more.
    expect(await settle(insert(randomUUID()))).toBe("done")
  })

  test("a transaction of a process that PostgreSQL cannot hear keeps its locks no longer than the deadline", async () => {
    const id = randomUUID()
    await insert(id, openPool({ deadlineMs: 3_000 }).sql)
    const cut = at.pool.transaction(async (sql) => {
      await sql`select 1 from notes where id = ${id} for update`
      at.proxy.silence("all")
      await sql`select 1`
    })
    await Promise.allSettled([cut])
    // The pool has given it up by now, and only the server's limit can end it. Another node waits for the row.
    await at.direct.begin(async (sql) => {
      await sql`set local lock_timeout = 2000`
      await sql`delete from notes where id = ${id}`
    })
    expect(await stored()).toEqual(new Set())
  })

  test("and a transaction is rolled back when a statement of it failed, though nobody looked", async () => {
    openPool()
    const id = randomUUID()
    const careless = at.pool.transaction(async (sql) => {
      await insert(id, sql)
      await insert(id, sql).catch(() => {})
    })
    expect(await settle(careless)).toBe("23505")
    expect((await stored()).size).toBe(0)
  })

  test("and a statement after the end of its transaction is refused instead of running outside of it", async () => {
    openPool()
    let late: Promise<Settled> | undefined
    await at.pool.transaction(async (sql) => {
      await insert(randomUUID(), sql)
      late = new Promise((resolve) => setImmediate(resolve)).then(async () => {
        await eventually(async () => (await stored()).size === 1)
        return settle(insert(randomUUID(), sql))
      })
    })
    expect(await late).toContain("after the end of its transaction")
    expect((await stored()).size).toBe(1)
  })

  test("a connection that comes back in a transaction is destroyed and never used again", async () => {
    openPool({ connections: 1 })
    await at.pool.sql`begin`
    expect(at.destroyed).toEqual(["in_transaction"])
    const id = randomUUID()
    await insert(id)
    expect(await stored()).toEqual(new Set([id]))
  })

  test("a statement that the driver cannot send is reported as such, and leaves no session behind", async () => {
    openPool({ connections: 2 })
    for (let n = 0; n < 5; n++) {
      expect(await settle(at.pool.sql`select ${undefined as unknown as null}::int`)).toBe("UNDEFINED_VALUE")
    }
    expect(tally(at.destroyed)).toEqual({ protocol: 5 })
    // The pool may have opened one more, when a try seemed to hang.
    await eventually(() => at.proxy.connections().length === at.pool.stats.open)
    expect(await settle(insert(randomUUID()))).toBe("done")
  })

  test("a connection whose transaction could not be rolled back is destroyed", async () => {
    openPool({ connections: 1 })
    at.proxy.onStatement({ match: /^rollback/, action: { kind: "fail", code: "XX000", message: "no" } })
    await settle(at.pool.transaction(() => Promise.reject(new Error("never mind"))))
    expect(at.destroyed).toEqual(["in_transaction"])
    const id = randomUUID()
    await insert(id)
    expect(await stored()).toEqual(new Set([id]))
  })
})

describe("nothing hangs", () => {
  test("when connections die inside transactions, in bursts of parallel work", async () => {
    // A busy machine takes its time for a burst; a connection that hangs would take the whole deadline.
    openPool({ connections: 6, deadlineMs: 60_000 })
    const kinds: Record<string, number> = {}
    for (let burst = 0; burst < 14; burst++) {
      const cut = at.proxy.onStatement({ match: /pg_sleep/, action: { kind: "cutReply" }, times: 4, skip: burst % 7 })
      const work = Array.from({ length: 200 }, (_, index) =>
        settle(
          index % 2 === 0
            ? at.pool.sql`select ${index}::int`
            : at.pool.transaction(async (sql) => {
                await Promise.all([sql`select pg_sleep(0)`, sql`select ${index}::int`])
              }),
        ),
      )
      for (const [kind, count] of Object.entries(tally(await Promise.all(work)))) {
        kinds[kind] = (kinds[kind] ?? 0) + count
      }
      cut.remove()
    }
    expect(Object.keys(kinds).sort()).toEqual(["POOL_CONNECTION_LOST", "done"])
    expect(kinds["done"]).toBeGreaterThan(2_300)
    await answersAgain()
    await eventually(() => at.pool.stats.inUse === 0 && at.pool.stats.waiting === 0)
    expect(at.pool.stats.open).toBeLessThanOrEqual(6)
  })

  test.each(["begin", "commit", "rollback", "insert"])("when the reply to %s is cut", async (word) => {
    openPool({ connections: 2 })
    const cut = at.proxy.onStatement({
      match: new RegExp(`^\\s*${word}`),
      action: { kind: "cutWithinReply" },
      times: 1,
    })
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        settle(
          at.pool.transaction(async (sql) => {
            await insert(randomUUID(), sql)
            if (word === "rollback" && index === 3) throw Object.assign(new Error("on purpose"), { code: "purpose" })
          }),
        ),
      ),
    )
    expect(cut.acted()).toBe(1)
    const { done = 0, ...failed } = tally(outcomes)
    expect(Object.values(failed)).toEqual([1])
    // A commit whose reply is lost has happened.
    expect((await stored()).size).toBe(word === "commit" ? done + 1 : done)
    await answersAgain()
  })

  test("when the open connections fall into a black hole: callers get an error and new connections are opened", async () => {
    openPool({ deadlineMs: 2_000 })
    // On a busy machine the first statements are done before the last connection is open.
    while (at.pool.stats.open < 10)
      await Promise.allSettled(Array.from({ length: 10 }, () => at.pool.sql`select pg_sleep(0.02)`))
    at.proxy.silence("open")
    expect(await settle(at.pool.sql`select 1`)).toBe("POOL_DEADLINE")
    // The other nine had been idle since before: they were given up with it, and cost nobody a deadline of their own.
    expect(tally(at.destroyed)).toEqual({ deadline: 1, suspect: 9 })
    await answersAgain()
  })

  test("when the database is silent also to new connections, and statements are answered once it is back", async () => {
    openPool({ deadlineMs: 800 })
    await answersAgain()
    at.proxy.silence("all")
    const outcomes = await Promise.all(Array.from({ length: 40 }, () => settle(at.pool.sql`select 1`)))
    expect(Object.keys(tally(outcomes)).sort()).toEqual(["POOL_DEADLINE", "POOL_TIMEOUT"])
    at.proxy.heal()
    await answersAgain()
  })

  test("when the way is cut behind a caller that has waited: the statement has the part of the deadline that a wait leaves", async () => {
    openPool({ deadlineMs: 6_000, connections: 1 })
    await at.pool.sql`select 1`
    const busy = settle(at.pool.sql`select pg_sleep(1)`)
    const waited = settle(at.pool.sql`select 2`)
    // A second of waiting and three fifths of the deadline; with the whole deadline after the wait it would be seven seconds.
    const isInTime = settlesWithin(6_500, waited)
    at.proxy.onStatement({ match: /select 2/, action: { kind: "drop" } })
    expect([await busy, await waited, await isInTime]).toEqual(["done", "POOL_DEADLINE", true])
  })

  test.each([
    ["", 0],
    [", also when each turn of the loop takes longer than a check comes after the other", 60],
  ])(
    "when the process itself was stopped: answers that came meanwhile are read, and no connection is given up%s",
    async (_, turnMs) => {
      openPool({ deadlineMs: 1_200 })
      await answersAgain()
      const id = randomUUID()
      const work = settle(at.pool.sql`insert into notes (id) select ${id} from pg_sleep(0.1)`)
      await at.proxy.seen(/pg_sleep\(0\.1\)/)
      // Another thread stops this one: the proxy too, which lives in it, so the answer is waiting in the sockets.
      standStill(2_500)
      let next: NodeJS.Immediate
      const turn = (): void => {
        standStill(turnMs)
        next = setImmediate(turn)
      }
      turn()
      expect(await work.finally(() => clearImmediate(next))).toBe("done")
      expect([at.destroyed, await stored()]).toEqual([[], new Set([id])])
    },
  )

  test("when the process itself was stopped while callers waited: those it still serves get their part of the deadline", async () => {
    openPool({ deadlineMs: 1_000, connections: 3 })
    while (at.pool.stats.open < 3)
      await Promise.allSettled(Array.from({ length: 3 }, () => at.pool.sql`select pg_sleep(0.02)`))
    const work = Array.from({ length: 9 }, () => settle(at.pool.sql`select pg_sleep(0.2)`))
    await eventually(() => at.proxy.connections().filter(({ unanswered }) => unanswered > 0).length === 3)
    standStill(1_500)
    const outcomes = tally(await Promise.all(work))
    expect(Object.keys(outcomes).filter((outcome) => outcome !== "done" && outcome !== "POOL_TIMEOUT")).toEqual([])
    // Three were under way; how many of the others fit into the rest of their deadline depends on the machine.
    expect([outcomes["done"] ?? 0, at.destroyed]).toEqual([expect.toSatisfy((done: number) => done > 3), []])
  })

  test("when the process is always late: deadlines are kept all the same", async () => {
    openPool({ deadlineMs: 1_000, connections: 1 })
    await answersAgain()
    at.proxy.silence("open")
    const work = settle(at.pool.sql`select 2`)
    // timed: the process stands still on purpose.
    const turns = setInterval(() => standStill(560), 1)
    expect(await work.finally(() => clearInterval(turns))).toBe("POOL_DEADLINE")
  })

  test("when the first of several hosts is dead: each try takes the next, also after many reconnections", async () => {
    const { username, password, host, pathname } = new URL(at.proxy.url)
    const url = `postgres://${username}:${password}@127.0.0.1:1,${host}${pathname}`
    openPool({ url, connections: 2 })
    for (let round = 0; round < 15; round++) {
      await answersAgain()
      at.proxy.reset()
      await eventually(() => at.pool.stats.open === 0)
    }
  })

  test("when a lock is not given: the server ends the statement before the deadline, and the connection lives", async () => {
    openPool({ deadlineMs: 4_000 })
    await at.direct.begin(async (sql) => {
      await sql`lock table notes`
      expect(await settle(insert(randomUUID()))).toBe("55P03")
      expect(await settle(at.pool.sql`select pg_sleep(5)`)).toBe("57014")
    })
    expect([at.destroyed, at.late]).toEqual([[], ["server", "server"]])
  })

  test("when a client's machine loses its power: the server is set to probe for it after ten seconds", async () => {
    // Three connections at once may take more than a second on a machine under load.
    openPool({ deadlineMs: 30_000 })
    const shown = ["idle", "interval", "count"].map(
      async (name) =>
        (await at.pool.sql`select current_setting(${`tcp_keepalives_${name}`}) as seconds`)[0]?.["seconds"],
    )
    expect(await Promise.all(shown)).toEqual(["10", "5", "3"])
  })

  test("when the body of a transaction never ends: it is given up at the deadline", async () => {
    openPool({ deadlineMs: 500, connections: 2 })
    // A connection may take longer to open than a transaction may wait for one.
    await answersAgain()
    const never = at.pool.transaction(async (sql) => {
      await insert(randomUUID(), sql)
      await new Promise(() => {})
    })
    expect(await settle(never)).toBe("POOL_DEADLINE")
    expect((await stored()).size).toBe(0)
    await answersAgain()
  })

  test("when PostgreSQL ends such a transaction first, because the process stood still: it is past its deadline all the same", async () => {
    openPool({ deadlineMs: 500, connections: 1 })
    await answersAgain()
    const never = settle(
      at.pool.transaction(async (sql) => {
        await insert(randomUUID(), sql)
        await new Promise(() => {})
      }),
    )
    await at.proxy.answered(/insert into notes/)
    // timed: the process stands still on purpose, the proxy with it.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500)
    expect(await never).toBe("POOL_DEADLINE")
    // The process may look at its clock before it reads that the connection is lost, and most often does not.
    expect(at.destroyed).toHaveLength(1)
  })
})
