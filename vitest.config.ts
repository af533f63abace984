import { defineConfig } from "vitest/config"

export default defineConfig({
  // The examples import the package as its users do; here that means the source, not the last build.
  resolve: { alias: { "gathercue/client": new URL("src/client/entry.ts", import.meta.url).pathname } },
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/support/global-setup.ts"],
    reporters: ["default"],
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    retry: 0,
    passWithNoTests: false,
  },
})
