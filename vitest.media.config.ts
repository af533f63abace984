import { defineConfig } from "vitest/config"
import { suite } from "./test/support/suite.ts"

/** Tests that need ffmpeg, ffprobe and Swift (`python3-swift`) on the machine, and the right to mount a small file system. */
export default defineConfig({
  test: {
    ...suite(),
    include: ["test-media/**/*.test.ts"],
    maxWorkers: 2,
  },
})
