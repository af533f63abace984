/** Moments of a deploy in which no node passes the check of its readiness: requests are answered by the node that takes them, or wait. */

import { once } from "node:events"
import { createServer, type Server } from "node:http"
import { expect, onTestFinished, test } from "vitest"
import { freePort } from "../test/support/free-port.ts"
import { temporaryFolder } from "../test/support/temporary-folder.ts"
import { eventually } from "../test/support/wait.ts"
import { goProgram } from "./support/go-program.ts"
import { startProxy } from "./support/proxies.ts"

interface Node {
  /** What `/readyz` answers. */
  ready: number
  readonly open: () => Promise<void>
  readonly close: () => Promise<void>
}

const nodeAt = (port: number): Node => {
  let server: Server | undefined
  const node: Node = {
    ready: 200,
    open: async () => {
      server = createServer((request, response) => {
        response.writeHead(request.url === "/readyz" ? node.ready : 200).end()
      }).listen(port, "127.0.0.1")
      await once(server, "listening")
    },
    close: async () => {
      server?.close()
      server?.closeAllConnections()
      server = undefined
    },
  }
  return node
}

const behind = async (name: "haproxy" | "caddy") => {
  const [port, first, second] = [await freePort(), await freePort(), await freePort()]
  const nodes = [nodeAt(first), nodeAt(second)] as const
  for (const node of nodes) {
    await node.open()
    onTestFinished(node.close)
  }
  const proxy = await startProxy(name, {
    port,
    servers: [first, second],
    folder: await temporaryFolder(onTestFinished),
    ...(name === "caddy" && { program: goProgram("caddy") }),
  })
  onTestFinished(() => proxy.stop())
  const ask = () => fetch(`http://127.0.0.1:${port}/anything`, { method: "POST", body: "{}" })
  return { ask, nodes, proxy }
}

const untilOut = (name: "haproxy" | "caddy", log: () => string) =>
  eventually(
    () =>
      name === "haproxy"
        ? [1, 2].every((n) => log().includes(`gathercue/node${n} is DOWN`))
        : new Set(log().match(/(?<="logger":"http.handlers.reverse_proxy.health_checker.active".*)127\.0\.0\.1:\d+/g))
            .size === 2,
    "both nodes to be left out",
  )

test("HAProxy sends requests to a node that stops while the other one is not known to be back", async () => {
  const { ask, nodes, proxy } = await behind("haproxy")
  const [stopping, gone] = nodes
  await gone.close()
  stopping.ready = 503
  await untilOut("haproxy", proxy.log)
  for (let n = 0; n < 10; n++) expect((await ask()).status).toBe(200)
})

test.each(["haproxy", "caddy"] as const)("behind %s requests wait while no node listens", async (name) => {
  const { ask, nodes, proxy } = await behind(name)
  for (const node of nodes) await node.close()
  await untilOut(name, proxy.log)
  let isAnswered = false
  const answers = Array.from({ length: 10 }, () =>
    ask().then(({ status }) => {
      isAnswered = true
      return status
    }),
  )
  // timed: longer than a proxy takes to answer what it will not try again.
  await new Promise((resolve) => setTimeout(resolve, 2000))
  expect(isAnswered).toBe(false)
  await nodes[1].open()
  expect(await Promise.all(answers)).toEqual(answers.map(() => 200))
})
