/** A database of its own for a test, with the current schema and no rows. */
import { inject } from "vitest"
import { createDatabase, databaseUrl, dropDatabase } from "./database-server.ts"
import { giveBack, newDatabase, newName, takeSpare } from "./spare-databases.ts"

export interface TestDatabase {
  readonly url: string
  /** Ends the sessions still open on it. It is gone for its test. */
  drop(): Promise<void>
}

export const createTestDatabase = async (): Promise<TestDatabase> => {
  const [server, template] = [inject("testServerUrl"), inject("testTemplate")]
  const name = (await takeSpare(server, template)) ?? (await newDatabase(server, template))
  return { url: databaseUrl(server, name), drop: () => giveBack(server, template, name) }
}

/** Without any schema, for tests of the migrations themselves. */
export const createEmptyDatabase = async (): Promise<TestDatabase> => {
  const server = inject("testServerUrl")
  const name = newName(inject("testTemplate"))
  await createDatabase(server, name)
  return { url: databaseUrl(server, name), drop: () => dropDatabase(server, name) }
}
