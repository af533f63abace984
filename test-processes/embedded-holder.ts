/** Run in a process of its own: starts the embedded database on the folder given, reports it, and stays until killed. */
import { startEmbeddedPostgres } from "../src/store/embedded/postgres.ts"

const server = await startEmbeddedPostgres({
  dataDir: String(process.argv[2]),
  onLog: (line) => process.stderr.write(`${line}\n`),
  settings: { fsync: "off" },
})
process.stdout.write(`${JSON.stringify({ url: server.url, pid: server.pid })}\n`)
