/** The log of a server at its lowest level, with a database of its own: it names violated constraints, and has no data. */
import { randomUUID } from "node:crypto"
import { expect, test } from "vitest"
import { call, createWorkspace, PASSWORD, signup } from "../test/support/api.ts"
import { startServerProcess } from "../test/support/server-process.ts"
import { temporaryFolder } from "../test/support/temporary-folder.ts"

test("a debug log names the violated constraint, and no value of the row", async () => {
  const server = await startServerProcess({ DATA_DIR: await temporaryFolder(), PORT: "0", LOG_LEVEL: "debug" })
  try {
    const email = `Grace-${randomUUID()}@example.com`.toLowerCase()
    const sign = () =>
      call(server.url, "POST", "/v1/accounts/signup", { body: { email, password: PASSWORD, name: "Grace H" } })
    const answers = [await sign(), await sign(), ...(await Promise.all([sign(), sign()]))]
    expect(answers.map(({ status }) => status)).toEqual([201, 409, 409, 409])
    const owner = await signup(server.url)
    await createWorkspace(server.url, owner)
    const slug = `slug-${randomUUID().slice(0, 8)}`
    const named = () =>
      call(server.url, "POST", "/v1/workspaces", { cookie: owner.cookie, body: { name: "Acme", slug } })
    expect([(await named()).status, (await named()).status]).toEqual([201, 409])
    expect(await server.end("SIGTERM")).toBe(0)
    const log = server.written()
    expect(log).toContain("duplicate key value violates unique constraint")
    for (const value of [email, slug, PASSWORD, "Grace H", "Key (", "DETAIL", "STATEMENT"])
      expect(log).not.toContain(value)
  } finally {
    server.child.kill("SIGKILL")
  }
})
