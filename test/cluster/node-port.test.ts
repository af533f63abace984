/** Who may connect to a node's port: the nodes that have the secret, and nobody else. */
import { once } from "node:events"
import { type AddressInfo, connect as connectTcp, createServer, type Socket } from "node:net"
import { connect as connectTls } from "node:tls"
import { Deferred, Effect, Exit, Fiber, Layer, Redacted, Scope } from "effect"
import { SocketServer } from "effect/socket"
import { afterEach, expect, onTestFinished, test } from "vitest"
import { NodeSockets } from "../../src/cluster/node-sockets.ts"
import { nodePort } from "../../src/cluster/node-transport.ts"
import { type SharedKey, sharedKeyOf } from "../../src/cluster/shared-key.ts"
import { freePort } from "../support/free-port.ts"
import { eventually } from "../support/wait.ts"

const HOST = "127.0.0.1"
const keyOf = (text: string): SharedKey => sharedKeyOf(Redacted.make(text.padEnd(32, ".")))

type Secret = Redacted.Redacted<string>

const scopes: Scope.Closeable[] = []

afterEach(async () => {
  for (const scope of scopes.splice(0)) await Effect.runPromise(Scope.close(scope, Exit.void))
})

/** A node's port that says one word to everybody who gets in. */
const listen = async (key: SharedKey | null): Promise<number> => {
  const port = await freePort()
  const scope = await Effect.runPromise(Scope.make())
  scopes.push(scope)
  const context = await Effect.runPromise(Layer.buildWithScope(nodePort({ host: HOST, port }, key), scope))
  const greet = Effect.gen(function* () {
    const server = yield* SocketServer.SocketServer
    yield* server.run((socket) =>
      Effect.scoped(
        Effect.gen(function* () {
          const reader = yield* socket.reader
          const writer = yield* socket.writer
          yield* writer.write("welcome")
          yield* Effect.forever(reader.pull)
        }),
      ),
    )
  })
  await Effect.runPromise(Effect.provide(Effect.forkIn(greet, scope), context))
  return port
}

/** Resolves to the first bytes, or to null when the connection ends without any. */
const firstWord = async (socket: Socket): Promise<string | null> => {
  const [chunk] = (await Promise.race([once(socket, "data"), once(socket, "close")]).catch(() => [])) as [unknown?]
  socket.destroy()
  return chunk instanceof Buffer && chunk.toString("latin1").startsWith("welcome") ? chunk.toString() : null
}

test("a node with the secret gets in; one with another secret, with none, or without TLS does not", async () => {
  const port = await listen(keyOf("the secret"))
  const address = { host: HOST, port }
  expect(await firstWord(connectTls({ ...address, ...keyOf("the secret").client }))).toBe("welcome")
  expect(await firstWord(connectTls({ ...address, ...keyOf("another secret").client }))).toBeNull()
  expect(await firstWord(connectTls({ ...address, rejectUnauthorized: false }))).toBeNull()
  const plain = connectTcp(address)
  plain.write("let me in, please, I am a node")
  expect(await firstWord(plain)).toBeNull()
})

test("while a secret is changed, a node that takes the next one is let in by those that use it already", async () => {
  const [before, next] = ["before", "next"].map((text) => Redacted.make(text.padEnd(32, "."))) as [Secret, Secret]
  const port = await listen(sharedKeyOf(next, before))
  const word = (key: SharedKey) => firstWord(connectTls({ host: HOST, port, ...key.client }))
  expect(await word(sharedKeyOf(before, next))).toBe("welcome")
  expect(await word(sharedKeyOf(next))).toBe("welcome")
  expect(await word(sharedKeyOf(before))).toBeNull()
})

test("a handshake that fails for its key is told of at both ends, and one of a stranger at neither", async () => {
  const told = new Set<string>()
  const port = await listen(sharedKeyOf(Redacted.make("here".padEnd(32, ".")), null, (peer) => told.add(peer)))
  await firstWord(connectTls({ host: HOST, port, rejectUnauthorized: false }))
  const sockets = new NodeSockets(keyOf("there"), (peer) => told.add(peer))
  // A slow machine may not come to the refusal within the second that a dial has.
  await eventually(async () => {
    expect(Exit.isFailure(await dial(sockets, port))).toBe(true)
    return told.size === 2
  }, "both ends being told")
  expect([...told].toSorted()).toEqual([HOST, `${HOST}:${port}`])
  const stranger: string[] = []
  await dial(new NodeSockets(keyOf("here"), (peer) => stranger.push(peer)), port)
  expect([told.size, stranger]).toEqual([2, []])
})

test("nodes without a secret speak in plain", async () => {
  const port = await listen(null)
  expect(await firstWord(connectTcp({ host: HOST, port }))).toBe("welcome")
})

test("sockets to a node that is gone end at once, and those to others stay", async () => {
  const key = keyOf("the secret")
  const sockets = new NodeSockets(key)
  const [first, second] = [await listen(key), await listen(key)]
  const open = (port: number) =>
    Effect.gen(function* () {
      const heard = yield* Deferred.make<void>()
      const ended = yield* Effect.forkDetach(
        Effect.scoped(
          Effect.gen(function* () {
            const socket = yield* sockets.to({ host: HOST, port })
            const reader = yield* socket.reader
            yield* Effect.forever(Effect.tap(reader.pull, () => Deferred.succeed(heard, undefined)))
          }),
        ),
      )
      // A slow machine may not open the socket within the second that a dial has: it is dialled again.
      yield* Effect.raceFirst(Deferred.await(heard), Effect.andThen(Fiber.await(ended), Effect.fail("not opened")))
      return ended
    }).pipe(Effect.retry({ times: 100 }))
  const [gone, stays] = [await Effect.runPromise(open(first)), await Effect.runPromise(open(second))]
  sockets.giveUp(`${HOST}:${first}`)
  await expect.poll(() => gone.pollUnsafe()?._tag).toBe("Failure")
  expect(stays.pollUnsafe()).toBeUndefined()
  stays.interruptUnsafe()
})

/** A port that takes connections and answers nothing, as a node does that is ending or frozen. */
const silentPort = async (): Promise<{ readonly port: number; readonly dialled: Promise<unknown> }> => {
  const accepted: Socket[] = []
  const server = createServer((socket) => accepted.push(socket.on("error", () => undefined).resume()))
  const dialled = once(server, "connection")
  server.listen(0, HOST)
  await once(server, "listening")
  onTestFinished(() => {
    for (const socket of accepted) socket.destroy()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, dialled }
}

const dial = (sockets: NodeSockets, port: number) =>
  Effect.runPromiseExit(
    Effect.scoped(Effect.flatMap(sockets.to({ host: HOST, port }), (socket) => Effect.asVoid(socket.reader))),
  )

test("a dial that a node does not answer fails when the node is given up", async () => {
  const sockets = new NodeSockets(keyOf("the secret"))
  const { port, dialled } = await silentPort()
  const done = dial(sockets, port)
  await dialled
  sockets.giveUp(`${HOST}:${port}`)
  expect(Exit.isFailure(await done)).toBe(true)
})

test("a dial that a node does not answer fails after its time", async () => {
  const { port } = await silentPort()
  expect(Exit.isFailure(await dial(new NodeSockets(keyOf("the secret")), port))).toBe(true)
})
