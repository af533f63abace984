/** The same program in every language: create, publish, list, register, read attendance, and read a sent webhook body. */
import { afterAll, beforeAll, expect } from "vitest"
import { createWorkspace } from "../../test/support/api.ts"
import { startTestServer, type TestServer } from "../../test/support/server.ts"
import { type LaterRelease, laterRelease } from "./later-release.ts"

/** Title of the listed event, its state after publication, its phase's seconds, whether a place was taken, people who were there, the name of the one who registered, whether the ping that was sent names its endpoint, and the code of an error. */
const PRINTED = "Generated scheduled 600 true 0 Ada true not_found"

interface ProgramHouse {
  /** The server itself, whose description is read. */
  readonly serverUrl: string
  /** Runs a program with the address and the key of a workspace of its own, and compares what it prints. */
  readonly expectRuns: (run: (url: string, key: string) => Promise<string>) => Promise<void>
}

/** A server for the programs of a file. They reach it as if it were of a later release. */
export const programHouse = (): ProgramHouse => {
  let server: TestServer
  let later: LaterRelease
  beforeAll(async () => {
    server = await startTestServer()
    later = await laterRelease(server.url)
  })
  afterAll(async () => {
    await later.stop()
    await server.stop()
  })
  return {
    get serverUrl() {
      return server.url
    },
    expectRuns: async (run) => {
      const { key } = await createWorkspace(server.url)
      expect((await run(later.url, key)).trim()).toBe(PRINTED)
    },
  }
}
