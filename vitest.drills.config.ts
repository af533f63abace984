import { defineConfig } from "vitest/config"
import { PATIENCE_MS, TEST_MS } from "./test/support/patience.ts"

/** What an operator does on a bad day and at a deploy, with the files of `deploy/`. Needs nginx, haproxy, caddy, nats-server and promtool. */
export default defineConfig({
  test: {
    include: ["test-drills/**/*.test.ts"],
    globalSetup: ["test/support/global-setup.ts"],
    setupFiles: ["test/support/every-file.ts"],
    pool: "forks",
    maxWorkers: 1,
    // The files share their modules: each would load the server anew.
    isolate: false,
    testTimeout: TEST_MS,
    hookTimeout: TEST_MS,
    expect: { poll: { timeout: PATIENCE_MS } },
    retry: 0,
    passWithNoTests: false,
  },
})
