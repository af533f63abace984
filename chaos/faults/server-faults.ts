/** Faults of the server's process. */
import { sleep } from "../chance.ts"
import { onlyServer } from "../site/site.ts"
import type { Fault } from "./fault.ts"

/** The server ends by the signal, is gone for a while and is started again. */
const restart =
  (signal: "SIGKILL" | "SIGTERM"): Fault["run"] =>
  async ({ site, ledger, over }, ms) => {
    const server = onlyServer(site)
    const code = await server.end(signal)
    if (signal === "SIGTERM" && code !== 0) ledger.violate("liveness", `the server ends with ${code} at SIGTERM`)
    await sleep(ms)
    over()
    await server.startAgain()
  }

export const SERVER_FAULTS: ReadonlyArray<Fault> = [
  {
    name: "kill",
    summary: "kill -9 of the server, and a start",
    on: "both",
    nodes: "one",
    stopsServer: true,
    seconds: [0, 1],
    run: restart("SIGKILL"),
  },
  {
    name: "kill-starting",
    summary: "kill -9 of the server, and once more while it starts",
    on: "both",
    nodes: "one",
    stopsServer: true,
    seconds: [0.2, 1.2],
    run: async ({ site, over }, ms) => {
      const server = onlyServer(site)
      await server.end("SIGKILL")
      const started = server.startAgain()
      await sleep(ms)
      await server.end("SIGKILL")
      over()
      await started
    },
  },
  {
    name: "term",
    summary: "SIGTERM of the server, and a start",
    on: "both",
    nodes: "one",
    stopsServer: true,
    seconds: [0, 1],
    run: restart("SIGTERM"),
  },
  {
    name: "freeze",
    summary: "SIGSTOP of the server, SIGCONT",
    on: "both",
    nodes: "one",
    stopsServer: true,
    seconds: [3, 12],
    run: async ({ site }, ms) => {
      const server = onlyServer(site)
      server.signal("SIGSTOP")
      await sleep(ms)
      server.signal("SIGCONT")
    },
  },
]
