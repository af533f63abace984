import { once } from "node:events"
import { createServer, type Server, type Socket } from "node:net"
import { Effect, Exit, ManagedRuntime } from "effect"
import { expect, onTestFinished, test } from "vitest"
import { Egress } from "../src/egress/egress.ts"
import { openEgress, refusal } from "./support/egress.ts"
import { startReceiver, status } from "./support/http-receiver.ts"
import { settlesWithin } from "./support/wait.ts"

const listen = async (
  onConnection: (socket: Socket) => void,
): Promise<{ port: number; sockets: Set<Socket>; close: () => void }> => {
  const sockets = new Set<Socket>()
  const server: Server = createServer((socket) => {
    sockets.add(socket)
    socket.resume()
    socket.on("error", () => {})
    socket.once("close", () => sockets.delete(socket))
    onConnection(socket)
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { port: (server.address() as { port: number }).port, sockets, close: () => server.close() }
}

const failure = (reason: string) => ({ _tag: "Failure", failure: { _tag: "EgressFailed", reason } })

test("a name that moves inside while its connection is kept open is refused", async () => {
  const { port } = await listen(() => {})
  let address = "127.0.0.1"
  let lookups = 0
  const egress = openEgress({
    allowLoopback: true,
    lookupLifetimeMs: 200,
    resolve: async () => {
      lookups += 1
      return [address]
    },
  })
  const url = `https://rebind.example:${port}/`
  await egress.send({ url, timeoutMs: 50 })
  expect(lookups).toBe(1)
  address = "10.0.0.1"
  await expect.poll(() => egress.send({ url, timeoutMs: 50 }), { interval: 50 }).toMatchObject(refusal)
  expect(lookups).toBe(2)
})

test("a lookup that fails or finds nothing is a dns failure, and the next send asks again", async () => {
  let lookups = 0
  const egress = openEgress({
    allowLoopback: true,
    resolve: async () => {
      lookups += 1
      if (lookups === 1) throw new Error("queryA ENOTFOUND example.com")
      return []
    },
  })
  expect(await egress.send({ url: "https://example.com/" })).toMatchObject(failure("dns"))
  expect(await egress.send({ url: "https://example.com/" })).toMatchObject(failure("dns"))
  expect(lookups).toBe(2)
})

test("sends that wait for the same name share one lookup", async () => {
  const { port } = await listen((socket) => socket.destroy())
  let lookups = 0
  const egress = openEgress({
    allowLoopback: true,
    resolve: async () => {
      lookups += 1
      return ["127.0.0.1"]
    },
  })
  await Promise.all(Array.from({ length: 20 }, () => egress.send({ url: `https://many.example:${port}/` })))
  expect(lookups).toBe(1)
})

test("a request arrives as given and its answer comes back", async () => {
  const receiver = await startReceiver((response) => void response.writeHead(201, { "x-answer": "yes" }).end("thanks"))
  const egress = openEgress({ allowLoopback: true })
  const answer = await egress.send({ url: `${receiver.url}/hook?a=1#x`, headers: { "x-gc-a": "b" }, body: '{"ü":1}' })
  expect(answer).toMatchObject({ success: { status: 201, truncated: false, headers: { "x-answer": "yes" } } })
  expect(answer._tag === "Success" && answer.success.body.toString()).toBe("thanks")
  expect(receiver.received[0]).toMatchObject({ path: "/hook?a=1", body: '{"ü":1}', headers: { "x-gc-a": "b" } })
})

test("localhost is this machine without any lookup", async () => {
  const receiver = await startReceiver()
  const resolve = () => Promise.reject(new Error("nobody asked"))
  const answer = await openEgress({ allowLoopback: true, resolve }).send({
    url: receiver.url.replace("127.0.0.1", "localhost"),
  })
  expect(answer).toMatchObject({ success: { status: 200 } })
})

test("connections are reused", async () => {
  const ports = new Set<number | undefined>()
  const receiver = await startReceiver((response) => {
    ports.add(response.socket?.remotePort)
    response.end("ok")
  })
  const egress = openEgress({ allowLoopback: true })
  for (let index = 0; index < 5; index++) await egress.send({ url: receiver.url, body: "{}" })
  expect(ports.size).toBe(1)
})

/** Answers the first request on each connection and closes the connection when the next one comes, as `ends` says. */
const startForgetful = async (ends: (socket: Socket) => void) => {
  const seen: number[] = []
  const { port } = await listen((socket) => {
    let requests = 0
    socket.on("data", () => {
      seen.push(++requests)
      if (requests === 1) socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok")
      else ends(socket)
    })
  })
  return { url: `http://127.0.0.1:${port}/`, seen }
}

test.each<[string, (socket: Socket) => void]>([
  ["closes", (socket) => void socket.end()],
  ["resets", (socket) => void socket.resetAndDestroy()],
])("a request on a kept connection that the receiver %s is sent once more, on a new one", async (_, ends) => {
  const { url, seen } = await startForgetful(ends)
  const egress = openEgress({ allowLoopback: true })
  for (let n = 0; n < 3; n++) expect(await egress.send({ url, body: "{}" })).toMatchObject({ success: { status: 200 } })
  // The second request of a connection is always the one that it does not answer.
  expect(seen).toEqual([1, 2, 1, 2, 1])
})

test("a request that the receiver closes without an answer on a new connection is not sent again", async () => {
  let connections = 0
  const { port } = await listen((socket) => {
    connections++
    socket.once("data", () => socket.end())
  })
  const url = `http://127.0.0.1:${port}/`
  const answer = await openEgress({ allowLoopback: true }).send({ url, body: "{}" })
  expect(answer).toMatchObject({ failure: { reason: "protocol" } })
  expect(connections).toBe(1)
})

test("a request that the receiver worked on before it closed the connection is not sent again", async () => {
  // timed: the receiver closes late on purpose.
  const { url, seen } = await startForgetful((socket) => void setTimeout(() => socket.end(), 1_100))
  const egress = openEgress({ allowLoopback: true })
  await egress.send({ url, body: "{}" })
  expect(await egress.send({ url, body: "{}" })).toMatchObject({ failure: { reason: "protocol" } })
  expect(seen).toEqual([1, 2])
})

test("a kept connection that falls silent costs the time limit and no second request", async () => {
  const { url, seen } = await startForgetful(() => {})
  const egress = openEgress({ allowLoopback: true })
  await egress.send({ url, body: "{}" })
  expect(await egress.send({ url, body: "{}", timeoutMs: 1_000 })).toMatchObject({ failure: { reason: "timeout" } })
  // On a busy machine the time may be over before the request is sent.
  expect([[1], [1, 2]]).toContainEqual(seen)
})

test("a request during which this process stood still is not given up for that", async () => {
  const receiver = await startReceiver()
  const egress = openEgress({ allowLoopback: true })
  // The clock has to be running before the stall.
  // timed: the clock of the pool ticks by then; it gives no signal, and a slow machine waits for longer.
  await new Promise((resolve) => setTimeout(resolve, 300))
  const answer = egress.send({ url: receiver.url, body: "{}", timeoutMs: 1_000 })
  // The connection is not even open yet.
  // timed: the process stands still on purpose.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_000)
  expect(await answer).toMatchObject({ success: { status: 200 } })
  expect(receiver.received).toHaveLength(1)
})

test("a receiver that is silent is given up in time, also after this process stood still", async () => {
  const receiver = await startReceiver(() => {})
  const egress = openEgress({ allowLoopback: true })
  // timed: the clock of the pool ticks by then; it gives no signal, and a slow machine waits for longer.
  await new Promise((resolve) => setTimeout(resolve, 300))
  const answer = egress.send({ url: receiver.url, body: "{}", timeoutMs: 500 })
  // timed: the process stands still on purpose.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500)
  expect(await answer).toMatchObject({ failure: { reason: "timeout" } })
})

test("a redirect is an answer and is not followed", async () => {
  const inside = await startReceiver()
  const receiver = await startReceiver((response) => void response.writeHead(307, { location: inside.url }).end())
  expect(await openEgress({ allowLoopback: true }).send({ url: receiver.url })).toMatchObject({
    success: { status: 307 },
  })
  expect(inside.received).toHaveLength(0)
})

test("an endless body is cut at 64 KiB and its connection closed; the status counts", async () => {
  let closed = false
  const receiver = await startReceiver((response) => {
    response.once("close", () => {
      closed = true
    })
    const more = () => {
      while (response.writable && response.write(Buffer.alloc(16_384)));
    }
    response.on("drain", more)
    more()
  })
  const answer = await openEgress({ allowLoopback: true }).send({ url: receiver.url })
  expect(answer).toMatchObject({ success: { status: 200, truncated: true } })
  expect(answer._tag === "Success" && answer.success.body.length).toBe(65_536)
  await expect.poll(() => closed).toBe(true)
})

test("an answer of exactly 64 KiB is whole", async () => {
  const receiver = await startReceiver((response) => void response.end(Buffer.alloc(65_536)))
  expect(await openEgress({ allowLoopback: true }).send({ url: receiver.url })).toMatchObject({
    success: { truncated: false },
  })
})

test.each([
  ["never answers", ""],
  ["drips its headers", "HTTP/1.1 200 OK\r\n"],
  ["drips its body", "HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n"],
])("a receiver that %s is cut off by the time limit", async (_what, head) => {
  const { port, sockets } = await listen((socket) => {
    socket.write(head)
    // timed: the receiver drips on purpose.
    const drip = setInterval(() => socket.write("x"), 20)
    socket.once("close", () => clearInterval(drip))
    if (head === "") clearInterval(drip)
  })
  const answer = openEgress({ allowLoopback: true }).send({ url: `http://127.0.0.1:${port}/`, timeoutMs: 200 })
  // Without a limit of its own it would last for ten seconds.
  expect(await settlesWithin(9_000, answer)).toBe(true)
  expect(await answer).toMatchObject(failure("timeout"))
  await expect.poll(() => sockets.size).toBe(0)
})

test("the time limit covers the lookup, and nothing is sent when the address comes late", async () => {
  const receiver = await startReceiver()
  let resolve: (addresses: ReadonlyArray<string>) => void = () => {}
  const promise = new Promise<ReadonlyArray<string>>((found) => {
    resolve = found
  })
  const egress = openEgress({ allowLoopback: true, resolve: () => promise })
  const url = receiver.url.replace("http://127.0.0.1", "https://late.example")
  expect(await egress.send({ url, timeoutMs: 50 })).toMatchObject(failure("timeout"))
  resolve(["127.0.0.1"])
  await promise
  expect(receiver.open()).toBe(0)
})

test("a closed port is a connect failure", async () => {
  const { port, close } = await listen(() => {})
  close()
  const egress = openEgress({ allowLoopback: true })
  expect(await egress.send({ url: `http://127.0.0.1:${port}/` })).toMatchObject(failure("connect"))
})

test("an answer that is not HTTP, or a connection that ends before it, is a protocol failure", async () => {
  for (const words of ["SSH-2.0-OpenSSH_9.2\r\n", ""]) {
    const { port } = await listen((socket) => socket.once("data", () => socket.end(words)))
    expect(await openEgress({ allowLoopback: true }).send({ url: `http://127.0.0.1:${port}/` })).toMatchObject(
      failure("protocol"),
    )
  }
})

test("TLS asks for the name at the checked address, and a target without TLS fails as such", async () => {
  let hello = Buffer.of()
  const { port } = await listen((socket) =>
    socket.once("data", (data) => {
      hello = data
      socket.end("HTTP/1.1 200 OK\r\n\r\n")
    }),
  )
  const egress = openEgress({ allowLoopback: true, resolve: async () => ["127.0.0.1"] })
  expect(await egress.send({ url: `https://named.example:${port}/` })).toMatchObject(failure("tls"))
  // Server name indication (RFC 6066 §3) stands in clear text in the first message.
  expect(hello.includes("named.example")).toBe(true)
})

test("an interrupted send closes its connection", async () => {
  const { port, sockets } = await listen(() => {})
  const runtime = ManagedRuntime.make(Egress.layer({ allowLoopback: true }))
  onTestFinished(() => runtime.dispose())
  const abort = new AbortController()
  const sending = runtime.runPromiseExit(
    Effect.flatMap(Egress, (egress) =>
      egress.send({ url: `http://127.0.0.1:${port}/`, method: "POST", headers: {}, body: "{}" }),
    ),
    { signal: abort.signal },
  )
  await expect.poll(() => sockets.size).toBe(1)
  abort.abort()
  expect(Exit.isFailure(await sending)).toBe(true)
  await expect.poll(() => sockets.size).toBe(0)
})

test("closing the layer closes its kept connections", async () => {
  const receiver = await startReceiver()
  let closed = 0
  receiver.answer = (response) => {
    response.socket?.once("close", () => {
      closed += 1
    })
    status(200)(response, { path: "", headers: {}, body: "", at: 0 }, 1)
  }
  const egress = openEgress({ allowLoopback: true })
  await egress.send({ url: receiver.url })
  await egress.close()
  await expect.poll(() => closed).toBe(1)
})
