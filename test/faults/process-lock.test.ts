/** One server per database, also when the one before lost its power instead of ending. */
import { describe, test } from "vitest"
import { type ProcessLock, takeProcessLock } from "../../src/store/process-lock.ts"
import { createEmptyDatabase } from "../support/database.ts"
import { type PostgresProxy, startPostgresProxy } from "../support/postgres-proxy.ts"
import { eventually } from "../support/wait.ts"

interface Place {
  readonly url: string
  readonly proxy: PostgresProxy
  /** A lock that is taken is released when the test ends. */
  readonly take: (url: string) => Promise<ProcessLock | undefined>
}

/** Each test has its own: most of their time passes in waiting for limits, so that they run side by side. */
const lockTest = test.extend<{ readonly place: Place }>({
  place: async ({ task: _ }, use) => {
    const database = await createEmptyDatabase()
    const proxy = await startPostgresProxy(database.url)
    const taken: ProcessLock[] = []
    await use({
      url: database.url,
      proxy,
      take: async (url) => {
        const lock = await takeProcessLock(url)
        if (lock !== undefined) taken.push(lock)
        return lock
      },
    })
    for (const lock of taken) await lock.release()
    await proxy.close()
    await database.drop()
  },
})

describe.concurrent("one server per database", () => {
  lockTest("a holder that lives keeps the lock, and a starting server is refused", async ({ place, expect }) => {
    const holder = await place.take(place.proxy.url)
    expect(await place.take(place.url)).toBeUndefined()
    expect(holder?.held()).toBe(true)
  })

  lockTest("a released lock is there for the next", async ({ place, expect }) => {
    const holder = await place.take(place.proxy.url)
    await holder?.release()
    expect((await place.take(place.url))?.held()).toBe(true)
  })

  lockTest(
    "a holder whose machine lost its power is outlasted, and knows it when it is back",
    async ({ place, expect }) => {
      const holder = await place.take(place.proxy.url)
      // The server's side of its session stays open, and receives nothing.
      place.proxy.silence("all")
      const next = await place.take(place.url)
      expect(next?.held()).toBe(true)
      place.proxy.heal()
      await eventually(() => holder?.held() === false, "the old holder to notice")
      await eventually(() => holder?.isElsewhere() === true, "the old holder to know that another one has it")
      // It goes on trying, and gets the lock when the new holder lets it go.
      await next?.release()
      await eventually(() => holder?.held() === true, "the old holder to have it again")
    },
  )

  lockTest("a starter whose question for the lock is swallowed gives up", async ({ place, expect }) => {
    place.proxy.onStatement({ match: /pg_try_advisory_lock/, action: { kind: "drop" } })
    await expect(takeProcessLock(place.proxy.url, 500)).rejects.toMatchObject({ code: "POOL_DEADLINE" })
  })

  lockTest("a lock whose session was cut is taken again by the same process", async ({ place, expect }) => {
    const holder = await place.take(place.proxy.url)
    place.proxy.reset()
    await eventually(() => holder?.held() === false)
    // The operator is told of a lost session, and of no other server.
    expect(holder?.isElsewhere()).toBe(false)
    await eventually(() => holder?.held() === true)
  })

  lockTest(
    "a lock whose session fell silent is taken again, though the server still holds it for the old session",
    async ({ place }) => {
      const holder = await place.take(place.proxy.url)
      place.proxy.silence("open")
      await eventually(() => holder?.held() === false, "the holder to notice")
      await eventually(() => holder?.held() === true, "the holder to have it again")
    },
  )
})
