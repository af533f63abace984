/** The kit as a library: what the command does, for tests of clients and servers. */
export type { Introduction } from "./adapter.ts"
// biome-ignore lint/performance/noBarrelFile: this is the entry of the package, which bundlers see as one file.
export { type ClientOptions, checkClient } from "./check-client.ts"
export { checkServer, type ServerOptions } from "./check-server.ts"
export { isKept, type Outcome, type Report, textOfReport } from "./report.ts"
