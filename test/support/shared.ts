/** What the tests of a file share: hooks make it before the first test and end it after the last one. */
import { afterAll, beforeAll, onTestFinished } from "vitest"
import { type Answer, type CallOptions, call, createWorkspace, type Workspace } from "./api.ts"
import { createTestDatabase, type TestDatabase } from "./database.ts"
import { type Rows, rowsOf } from "./rows.ts"
import { startTestServer, type TestServer } from "./server.ts"
import { openStore, type TestSql } from "./store.ts"

/** `made` has its members from the hook on. What is shared later is ended first. */
export const shared = <A extends object>(
  make: () => A | Promise<A>,
  end: (made: A) => unknown = () => {},
  made = {} as A,
): A => {
  let isMade = false
  beforeAll(async () => {
    Object.assign(made, await make())
    isMade = true
  })
  afterAll(() => (isMade ? end(made) : undefined))
  return made
}

export const sharedDatabase = (): TestDatabase => shared(createTestDatabase, (database) => database.drop())

/** The store's pool on the database. */
export const sharedStore = (database: TestDatabase): TestSql => {
  let opened: TestSql | undefined
  const open = (): TestSql => {
    opened = openStore(database.url)
    return opened
  }
  // Statements are calls of the pool itself.
  const forward = (...statement: ReadonlyArray<unknown>): unknown =>
    opened && Reflect.apply(opened, undefined, statement)
  return shared(open, (sql) => sql.end(), forward as TestSql)
}

export const sharedServer = (start: () => Promise<TestServer> = startTestServer): TestServer =>
  shared(start, (server) => server.stop())

/** A server for one test, with settings of its own. */
export const ownServer = async (environment: Parameters<typeof startTestServer>[0] = {}): Promise<TestServer> => {
  const server = await startTestServer(environment)
  onTestFinished(() => server.stop())
  return server
}

export const sharedRows = (server: TestServer): Rows =>
  shared(
    () => rowsOf(server.databaseUrl),
    (rows) => rows.end(),
  )

export const sharedWorkspace = (server: Pick<TestServer, "url">): Workspace => shared(() => createWorkspace(server.url))

/** Calls of the server's API. */
export const apiOf =
  (server: Pick<TestServer, "url">) =>
  (method: string, path: string, options: CallOptions = {}): Promise<Answer> =>
    call(server.url, method, path, options)
