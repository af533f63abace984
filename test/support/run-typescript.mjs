/**
 * `node test/support/run-typescript.mjs <file.ts> [arguments]` runs a TypeScript module in a process of its own, for
 * tests that must kill it. Compiled in memory by the test runner's own compiler: needs no build, sees the current source.
 */
import { resolve } from "node:path"
import { createViteServer } from "vitest/node"

const server = await createViteServer({
  configFile: false,
  appType: "custom",
  logLevel: "error",
  server: { middlewareMode: true, hmr: false, watch: null, ws: false },
  optimizeDeps: { noDiscovery: true },
})
await server.ssrLoadModule(resolve(process.argv[2]))
