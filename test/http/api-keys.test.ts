/** API keys end when they are revoked or expire, although the server remembers for a few seconds which ones are good. */
import { describe, expect, test } from "vitest"
import { call } from "../support/api.ts"
import { sharedRows, sharedServer, sharedWorkspace } from "../support/shared.ts"
import { eventually } from "../support/wait.ts"

const server = sharedServer()
const rows = sharedRows(server)
const acme = sharedWorkspace(server)

const makeKey = async (body: object = {}): Promise<{ readonly id: string; readonly secret: string }> =>
  (await call(server.url, "POST", "/v1/api-keys", { key: acme.key, body })).body
const use = async (secret: string): Promise<number> =>
  (await call(server.url, "GET", "/v1/events", { key: secret })).status
const remove = async (id: string): Promise<number> =>
  (await call(server.url, "DELETE", `/v1/workspaces/${acme.id}/api-keys/${id}`, { cookie: acme.owner.cookie })).status

interface Use {
  readonly begun: number
  readonly answered: number
  readonly status: number
}

/** Uses the key again and again, a few requests at a time, until `body` is done; resolves to all uses. */
const whileUsed = async (
  secret: string,
  body: (uses: ReadonlyArray<Use>) => Promise<void>,
): Promise<ReadonlyArray<Use>> => {
  const uses: Use[] = []
  let isOver = false
  const worker = async (): Promise<void> => {
    while (!isOver) {
      const begun = Date.now()
      const status = await use(secret)
      uses.push({ begun, answered: Date.now(), status })
    }
  }
  const workers = Promise.all(Array.from({ length: 4 }, worker))
  try {
    await body(uses)
  } finally {
    isOver = true
    await workers
  }
  return uses
}

describe("an API key", () => {
  test("that is revoked while it is in use fails on every request begun after the revocation's answer", async () => {
    for (let round = 0; round < 10; round++) {
      const { id, secret } = await makeKey()
      let revokedAt = 0
      const uses = await whileUsed(secret, async (soFar) => {
        await eventually(() => soFar.length > 8)
        expect(await remove(id)).toBe(204)
        revokedAt = Date.now()
        await eventually(() => soFar.filter(({ begun }) => begun > revokedAt).length > 8)
      })
      const after = uses.filter(({ begun }) => begun > revokedAt)
      expect(new Set(after.map(({ status }) => status))).toEqual(new Set([401]))
    }
  })

  test("that expires while it is in use works until then and fails from then on", async () => {
    const end = Date.now() + 1_500
    const { secret } = await makeKey({ expiresAt: new Date(end).toISOString() })
    const all = await whileUsed(secret, (uses) => eventually(() => uses.some(({ begun }) => begun > end)))
    expect(new Set(all.filter(({ answered }) => answered < end).map(({ status }) => status))).toEqual(new Set([200]))
    expect(new Set(all.filter(({ begun }) => begun > end).map(({ status }) => status))).toEqual(new Set([401]))
  })

  test("that an operator's SQL takes away fails within ten seconds", async () => {
    const { id, secret } = await makeKey()
    expect(await use(secret)).toBe(200)
    await rows.run("delete from api_keys where id = $1", [id])
    const since = performance.now()
    await eventually(async () => (await use(secret)) === 401)
    // timed: twice the time for which a key is remembered.
    expect(performance.now() - since).toBeLessThan(10_000)
  })

  test("that nobody made is refused, however often it is tried", async () => {
    const secret = `gck_${"x".repeat(43)}`
    for (let n = 0; n < 3; n++) expect(await use(secret)).toBe(401)
    const made = await makeKey()
    expect([await use(made.secret), await use(`${made.secret}x`), await use(made.secret)]).toEqual([200, 401, 200])
  })

  test("is written down as used, once a minute at most", async () => {
    const { id, secret } = await makeKey()
    const lastUsed = async () => (await rows.run("select last_used_at from api_keys where id = $1", [id]))[0]
    expect(await use(secret)).toBe(200)
    const first = await lastUsed()
    expect(first).toMatchObject({ last_used_at: expect.anything() })
    expect(await use(secret)).toBe(200)
    expect(await lastUsed()).toEqual(first)
  })
})
