import { defineConfig } from "vitest/config"
import { PATIENCE_MS, TEST_MS } from "./test/support/patience.ts"

/** Tests that need ffmpeg, ffprobe and Swift (`python3-swift`) on the machine, and the right to mount a small file system. */
export default defineConfig({
  test: {
    include: ["test-media/**/*.test.ts"],
    globalSetup: ["test/support/global-setup.ts"],
    setupFiles: ["test/support/every-file.ts"],
    pool: "forks",
    // The files of a worker share their modules: each would load the server anew.
    isolate: false,
    maxWorkers: 2,
    testTimeout: TEST_MS,
    // The first file that starts a server waits for the bundle of the run.
    hookTimeout: TEST_MS,
    // The default of one second is less than a busy machine takes for a request.
    expect: { poll: { timeout: PATIENCE_MS } },
    retry: 0,
    passWithNoTests: false,
  },
})
