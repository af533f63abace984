import { defineConfig } from "vitest/config"
import { PATIENCE_MS, TEST_MS } from "./test/support/patience.ts"

/** Calls, broadcasts and crowds of pages fill two cores: these files run one after the other, and nothing beside them. */
const ALONE = [
  "broadcast",
  "broadcast-viewers",
  "call",
  "relay",
  "restart",
  "rotation",
  "web/large-audience",
  "web/on-air",
  "web/rooms",
  "web/stage",
  "web/whole-event",
].map((name) => `test-browser/${name}.test.ts`)

const group = (name: string, groupOrder: number, maxWorkers: number, files: object) => ({
  extends: true as const,
  test: { name, maxWorkers, sequence: { groupOrder }, ...files },
})

/** Tests that need Chromium on the machine. */
export default defineConfig({
  test: {
    globalSetup: ["test/support/global-setup.ts"],
    setupFiles: ["test/support/every-file.ts"],
    pool: "forks",
    // The files of a worker share their modules: each would load the server anew.
    isolate: false,
    testTimeout: TEST_MS,
    // A hook starts a server and Chromium: on a busy machine that takes longer than ten seconds.
    hookTimeout: TEST_MS,
    // The default of one second is less than a page of a busy machine takes for a request and a render.
    expect: { poll: { timeout: PATIENCE_MS } },
    retry: 0,
    passWithNoTests: false,
    projects: [
      // Pages of one person wait for the server and for each other most of the time.
      group("pages", 0, 2, { include: ["test-browser/**/*.test.ts"], exclude: ALONE }),
      group("crowds", 1, 1, { include: ALONE }),
    ],
  },
})
