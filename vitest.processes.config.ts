import { defineConfig } from "vitest/config"
import { suite } from "./test/support/suite.ts"

/** Tests of the server and its commands as processes of their own, many of which have a database and a data folder of their own. */
export default defineConfig({
  test: {
    ...suite(),
    include: ["test-processes/**/*.test.ts"],
    maxWorkers: 2,
  },
})
