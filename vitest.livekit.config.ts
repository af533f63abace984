import { defineConfig } from "vitest/config"
import { suite } from "./test/support/suite.ts"

/** Tests beside a real LiveKit server, which Go builds, with pages in Chromium. They fill two cores: one file at a time. */
export default defineConfig({
  test: {
    ...suite(),
    include: ["test-livekit/**/*.test.ts"],
    globalSetup: ["test/support/global-setup.ts", "test-livekit/programs.ts"],
    maxWorkers: 1,
  },
})
