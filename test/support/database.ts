/** A database of its own for a test, with the current schema and no rows. */
import { randomBytes } from "node:crypto"
import { inject } from "vitest"
import { createDatabase, databaseUrl, dropDatabase } from "./database-server.ts"

export interface TestDatabase {
  readonly url: string
  /** Ends the sessions still open on it and removes it. */
  drop(): Promise<void>
}

export const createTestDatabase = (): Promise<TestDatabase> => databaseFrom(inject("testTemplate"))

/** Without any schema, for tests of the migrations themselves. */
export const createEmptyDatabase = (): Promise<TestDatabase> => databaseFrom("template1")

async function databaseFrom(template: string): Promise<TestDatabase> {
  const server = inject("testServerUrl")
  const name = `gathercue_test_${randomBytes(8).toString("hex")}`
  await createDatabase(server, name, template)
  return { url: databaseUrl(server, name), drop: () => dropDatabase(server, name) }
}
