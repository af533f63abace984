import { defineConfig } from "vitest/config"

/** Changes what is under test in each place once, and counts the changes that no test notices: minutes of one processor. */
export default defineConfig({
  test: { include: ["test/**/*.mutants.ts"], testTimeout: 1_800_000, retry: 0, passWithNoTests: false },
})
