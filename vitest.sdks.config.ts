import { defineConfig } from "vitest/config"
import { TEST_MS } from "./test/support/patience.ts"
import { suite } from "./test/support/suite.ts"

/** As long as a generator, a compiler and a program take together on a busy machine, and schemathesis its share. */
const GENERATION_MS = 8 * TEST_MS

/** Clients that public generators make of the description, in several languages. The toolchains are looked for and fetched first. */
export default defineConfig({
  test: {
    ...suite(),
    include: ["test-sdks/**/*.test.ts"],
    globalSetup: ["test-sdks/support/tools-setup.ts", "test/support/global-setup.ts"],
    maxWorkers: 2,
    testTimeout: GENERATION_MS,
    hookTimeout: GENERATION_MS,
  },
})
