import { defineConfig } from "vitest/config"
import { LongestFirst } from "./test/support/longest-first.ts"
import { PATIENCE_MS, TEST_MS } from "./test/support/patience.ts"

export default defineConfig({
  // The examples import the package as its users do; here that means the source, not the last build.
  resolve: { alias: { "@gathercue/client": new URL("packages/client/src/entry.ts", import.meta.url).pathname } },
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/support/global-setup.ts"],
    reporters: ["default"],
    setupFiles: ["test/support/every-file.ts"],
    pool: "forks",
    // Twice the cores of a small machine: some files compute while others wait for timers and processes.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    // The files of a worker share their modules: loading them anew for each took a third of the whole run.
    isolate: false,
    testTimeout: TEST_MS,
    hookTimeout: TEST_MS,
    // The default of one second is less than a busy machine takes for a request.
    expect: { poll: { timeout: PATIENCE_MS } },
    retry: 0,
    passWithNoTests: false,
  },
})
