/** The vectors of `packages/conformance` with the sources of the TypeScript client; `test-languages` plays them with the built clients. */
import { beforeEach, expect, onTestFinished, test, vi } from "vitest"
import {
  CommandRefused,
  ConnectionClosed,
  GatewayClient,
  makeRestClient,
  RestProblem,
} from "../../packages/client/src/entry.ts"
import { type Drive, play } from "../../packages/conformance/src/play.ts"
import { type Told, type Transport, type Vector, vectorsOver } from "../../packages/conformance/src/vectors.ts"
import { PATIENCE_MS } from "../support/patience.ts"

const kindOf = (cause: unknown): readonly [string, number] | readonly [string] => {
  if (cause instanceof ConnectionClosed) return ["closed", cause.code]
  return cause instanceof RestProblem ? ["token", cause.status] : ["other"]
}

const outcomeOf = (cause: unknown): unknown =>
  cause instanceof CommandRefused
    ? ["refused", cause.code, cause.message, cause.refusal.retryAfterMs ?? null]
    : ["unanswered"]

const drive: Drive = (baseUrl, { firstMs = 0, longestMs = 0, ...options }) => {
  const told: Told = { dispatches: [], status: [], replies: {} }
  const api = makeRestClient({ baseUrl })
  const token = () => api.createGatewayToken({ payload: { eventId: "e" } })
  const client = new GatewayClient({ token, transport: "websocket", backoff: { firstMs, longestMs }, ...options })
  client.on("dispatch", ({ t, d }) => told.dispatches.push([t, t === "ready" ? { resumed: d.resumed } : d]))
  client.on("status", (status) => told.status.push(status))
  client.on("error", ({ cause, retryInMs }) => told.status.push(["failed", ...kindOf(cause), retryInMs]))
  const ended = new Promise<void>((resolve) => {
    client.on("closed", ({ cause }) => {
      told.status.push(cause === undefined ? ["ended"] : ["ended", ...kindOf(cause)])
      // Rejections of the waiting commands are told a moment later.
      setImmediate(resolve)
    })
  })
  client.connect().catch(() => {})
  const command: Awaited<ReturnType<Drive>>["command"] = ({ label, t, d, ...rest }) => {
    client.command(t as never, d as never, rest).then(
      (reply) => {
        told.replies[label] = ["accepted", reply.d, reply.dup ?? false]
      },
      (cause: unknown) => {
        told.replies[label] = outcomeOf(cause)
      },
    )
  }
  const stall = (ms: number): void => {
    // timed: the deadline of a heartbeat, five seconds, passes meanwhile.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
  }
  return { told, stall, ended: () => ended, command, close: () => client.close(), kill: () => client.close() }
}

const vectors = (["websocket", "sse"] satisfies Transport[]).flatMap((transport) => vectorsOver(transport))
/** These let the whole process stand still. */
const stalling = vectors.filter(({ steps }) => steps.some(([step]) => step === "stall"))

/** So many at once that the deadlines of most pass together. */
const LANES = 24

/** The names of those that are not kept, with the reasons. */
const broken = async (played: Iterator<Vector>): Promise<ReadonlyArray<string>> => {
  const found: string[] = []
  for (let next = played.next(); next.done !== true; next = played.next()) {
    const vector = next.value
    await play(vector, drive, { patienceMs: PATIENCE_MS }).catch((cause) => found.push(`${vector.name}: ${cause}`))
  }
  return found
}

beforeEach(() => {
  // Waits are half of the longest.
  const random = vi.spyOn(Math, "random").mockReturnValue(0.5)
  onTestFinished(() => random.mockRestore())
})

test("the vectors hold over both transports", async () => {
  expect(vectors.length).toBeGreaterThan(100)
  const played = vectors.filter((vector) => !stalling.includes(vector)).values()
  const found = await Promise.all(Array.from({ length: LANES }, () => broken(played)))
  expect(found.flat()).toEqual([])
})

test("those hold in which the process stands still", async () => {
  expect(stalling.length).toBeGreaterThan(0)
  expect(await broken(stalling.values())).toEqual([])
})
