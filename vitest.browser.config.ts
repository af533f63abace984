import { defineConfig } from "vitest/config"
import { suite } from "./test/support/suite.ts"

/** Calls, broadcasts and crowds of pages fill two cores: these files run one after the other, and nothing beside them. */
const ALONE = [
  "broadcast",
  "broadcast-viewers",
  "call",
  "relay",
  "restart",
  "rotation",
  "served-rooms",
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
    ...suite(),
    projects: [
      // Pages of one person wait for the server and for each other most of the time.
      group("pages", 0, 2, { include: ["test-browser/**/*.test.ts"], exclude: ALONE }),
      group("crowds", 1, 1, { include: ALONE }),
    ],
  },
})
