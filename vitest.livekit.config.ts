import { defineConfig } from "vitest/config"
import { PATIENCE_MS, TEST_MS } from "./test/support/patience.ts"

/** Tests beside a real LiveKit server, which Go builds, with pages in Chromium. They fill two cores: one file at a time. */
export default defineConfig({
  test: {
    include: ["test-livekit/**/*.test.ts"],
    globalSetup: ["test/support/global-setup.ts", "test-livekit/programs.ts"],
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
