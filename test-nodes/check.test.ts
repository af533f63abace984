/** `gathercue check` with a real NATS. */
import { expect, inject, onTestFinished, test } from "vitest"
import { createTestDatabase } from "../test/support/database.ts"
import { freePort } from "../test/support/free-port.ts"
import { runCommand } from "../test/support/server-process.ts"
import { temporaryFolder } from "../test/support/temporary-folder.ts"

test("a node's check asks NATS, and tries the port for the other nodes", async () => {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  const address = `127.0.0.1:${await freePort()}`
  const { code, stdout } = await runCommand(["check"], {
    PORT: "0",
    PUBLIC_URL: "http://127.0.0.1:1",
    DATABASE_URL: database.url,
    DATA_DIR: await temporaryFolder(),
    SECRET_KEY: "secret-key-of-the-check-test-0123456789",
    NATS_URL: inject("natsUrl") ?? "",
    CLUSTER_ADDRESS: address,
  })
  expect(code).toBe(0)
  expect(stdout).toContain("NATS           answers\n")
  expect(stdout).toContain(`CLUSTER_ADDRESS ${address.split(":")[1]} on 127.0.0.1 is free`)
})
