import { defineConfig } from "vitest/config"
import { suite } from "./test/support/suite.ts"

/** Clients in several languages and servers under the conformance kit, and the packages as they are published. */
export default defineConfig({
  test: {
    ...suite(),
    include: ["test-languages/**/*.test.ts"],
    globalSetup: ["test-languages/support/tools-setup.ts", "test/support/global-setup.ts"],
    maxWorkers: 2,
    // Most of the time of a test is a wait for what a broken client or server does not do.
    maxConcurrency: 2,
  },
})
