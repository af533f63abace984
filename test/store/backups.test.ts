/** The turn of a backup to a bucket, between sessions on a real database. */
import { expect, onTestFinished, test } from "vitest"
import { beginBackup, endBackup } from "../../src/store/backups/backups.ts"
import { openSession } from "../../src/store/pool/session.ts"
import { createTestDatabase } from "../support/database.ts"

test("one backup is made at a time, and the next may begin before PostgreSQL has noticed the end of the session before", async () => {
  const database = await createTestDatabase()
  const open = () => openSession(database.url, { application_name: "backup" }, 30_000)
  const [first, second] = [await open(), await open()]
  onTestFinished(async () => {
    for (const { connection } of [first, second]) connection.close()
    await database.drop()
  })
  expect(await beginBackup(first.sql)).toBe("ready")
  expect(await beginBackup(second.sql)).toBe("busy")
  await endBackup(first.sql)
  expect(await beginBackup(second.sql)).toBe("ready")
  await endBackup(second.sql)
})
