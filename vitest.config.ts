import { defineConfig } from "vitest/config"
import { LongestFirst } from "./test/support/longest-first.ts"
import { suite } from "./test/support/suite.ts"

export default defineConfig({
  // The examples import the package as its users do; here that means the source, not the last build.
  resolve: { alias: { "@gathercue/client": new URL("packages/client/src/entry.ts", import.meta.url).pathname } },
  test: {
    ...suite(),
    include: ["test/**/*.test.ts"],
    // More than twice the cores of a small machine: some files compute while others wait for timers and processes.
    maxWorkers: 5,
    sequence: { sequencer: LongestFirst },
  },
})
