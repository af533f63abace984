import { defineConfig } from "vitest/config"
import { suite } from "./test/support/suite.ts"

/** What an operator does on a bad day and at a deploy, with the files of `deploy/`. Needs nginx, haproxy, caddy, nats-server and promtool. */
export default defineConfig({
  test: {
    ...suite(),
    include: ["test-drills/**/*.test.ts"],
    maxWorkers: 1,
  },
})
