import { defineConfig } from "vitest/config"

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
    testTimeout: 180_000,
    // A hook starts a server and Chromium: on a busy machine that takes longer than ten seconds.
    hookTimeout: 120_000,
    // The default of one second is less than a page of a busy machine takes for a request and a render.
    expect: { poll: { timeout: 30_000 } },
    retry: 0,
    passWithNoTests: false,
    projects: [
      // Pages of one person wait for the server and for each other most of the time.
      group("pages", 0, 2, { include: ["test-browser/**/*.test.ts"], exclude: ALONE }),
      group("crowds", 1, 1, { include: ALONE }),
    ],
  },
})
