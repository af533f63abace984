import { defineConfig } from "vitest/config"

/** Tests that need Chromium on the machine. */
export default defineConfig({
  test: {
    include: ["test-browser/**/*.test.ts"],
    globalSetup: ["test/support/global-setup.ts"],
    setupFiles: ["test/support/every-file.ts"],
    pool: "forks",
    maxWorkers: 1,
    testTimeout: 90_000,
    // A hook starts a server and Chromium: on a busy machine that takes longer than ten seconds.
    hookTimeout: 60_000,
    retry: 0,
    passWithNoTests: false,
  },
})
