/** A page's push, over a line that is cut and a server that is restarted: nothing that was recorded is lost to the first, and the second begins anew. */
import { once } from "node:events"
import { createServer as createHttpServer } from "node:http"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"
import { expect, onTestFinished, test } from "vitest"
import { BroadcastPush, type PieceRecorder } from "../../packages/client/src/media-entry.ts"
import { fixture, samplesOf } from "../media/broadcast/support.ts"
import { createWorkspace } from "../support/api.ts"
import { apiOf, bytesAt, recordingOf, startBroadcast } from "../support/broadcasts.ts"
import { startTestServer } from "../support/server.ts"
import { eventually } from "../support/wait.ts"

const STREAM = fixture("media-recorder.mp4")
const PIECES = 8

/** Plays a file of a browser's recorder piece by piece, when its test asks. */
class FileRecorder implements PieceRecorder {
  state = "inactive"
  #next = 0
  readonly #onData: Array<(event: { readonly data: Blob }) => void> = []
  readonly #onStop: Array<() => void> = []

  addEventListener(type: string, listener: (event: { readonly data: Blob }) => void): void {
    if (type === "dataavailable") this.#onData.push(listener)
    else if (type === "stop") this.#onStop.push(listener as () => void)
  }

  start(): void {
    this.state = "recording"
  }

  give(bytes: Uint8Array<ArrayBuffer>): void {
    for (const call of this.#onData) call({ data: new Blob([bytes]) })
  }

  /** Gives so many more pieces. */
  play(pieces: number): void {
    const size = Math.ceil(STREAM.byteLength / PIECES)
    for (const end = this.#next + pieces; this.#next < end; this.#next++) {
      this.give(new Uint8Array(STREAM.subarray(this.#next * size, (this.#next + 1) * size)))
    }
  }

  stop(): void {
    this.state = "inactive"
    for (const call of this.#onStop) call()
  }
}

/** A line to a server that can be cut, and led to another one. */
const openLine = async (port: number) => {
  let target = port
  let isCut = false
  const sockets = new Set<Socket>()
  const line = createServer((near) => {
    if (isCut) {
      near.destroy()
      return
    }
    const far = connect(target, "127.0.0.1")
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket)
      socket.pipe(other)
      socket.on("error", () => other.destroy())
      socket.on("close", () => sockets.delete(socket))
    }
  }).listen(0, "127.0.0.1")
  await once(line, "listening")
  const cut = (): void => {
    isCut = true
    for (const socket of sockets) socket.destroy()
  }
  onTestFinished(() => {
    cut()
    line.close()
  })
  return {
    port: (line.address() as AddressInfo).port,
    cut,
    mend: (to = target) => {
      target = to
      isCut = false
    },
  }
}

const portOf = (url: string): number => Number(new URL(url).port)

test("a line that is cut loses no piece; a server that was restarted gets a new stream", async () => {
  let server = await startTestServer()
  onTestFinished(() => server.stop())
  const { key } = await createWorkspace(server.url)
  const onAir = await startBroadcast(server.url, key)
  const line = await openLine(portOf(server.url))
  const recorders: FileRecorder[] = []
  const states: string[] = []
  const push = new BroadcastPush({
    streamUrl: onAir.streamUrl.replace(server.url, `http://127.0.0.1:${line.port}`),
    makeRecorder: () => {
      const recorder = new FileRecorder()
      recorders.push(recorder)
      return recorder
    },
    onState: (state) => states.push(state),
  })
  push.start()
  recorders[0]?.play(4)
  await eventually(async () => (await onAir.state()).ingest.takes === 1, "the first pieces")
  line.cut()
  recorders[0]?.play(4)
  await eventually(() => states.includes("waiting"), "the cut")
  line.mend()
  await eventually(() => states.at(-1) === "pushing", "the line again")
  await eventually(() => push.pending === 0, "all pieces")
  server = await server.restart()
  line.cut()
  line.mend(portOf(server.url))
  // The server does not know the stream any more: the push begins another one.
  recorders[0]?.give(new Uint8Array(1))
  await eventually(() => recorders.length === 2, "another recorder")
  expect(recorders[0]?.state).toBe("inactive")
  recorders[1]?.play(PIECES)
  await push.stop()
  expect(push.state).toBe("stopped")
  await apiOf(server.url, key)("POST", `/v1/phases/${onAir.phaseId}/broadcast/stop`)
  const recording = await recordingOf(server.url, key, onAir.eventId)
  expect(samplesOf(await bytesAt(recording.downloadUrl), "video")).toBe(2 * samplesOf(STREAM, "video"))
})

test("a server that wants pieces more slowly gets all of them, as slowly as it says", async () => {
  const answers = [204, 429, 204, 503, 204, 204]
  const came: Array<readonly [seq: string | null, at: number]> = []
  const server = createHttpServer((request, response) => {
    request.resume().once("end", () => {
      came.push([new URL(request.url ?? "", "http://localhost").searchParams.get("seq"), performance.now()])
      response.writeHead(answers[came.length - 1] ?? 204, { "retry-after": "1" }).end()
    })
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(() => void server.close())
  const states: string[] = []
  const recorder = new FileRecorder()
  const push = new BroadcastPush({
    streamUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/stream`,
    makeRecorder: () => recorder,
    onState: (state) => states.push(state),
  })
  push.start()
  recorder.play(4)
  await push.stop()
  expect(came.map(([seq]) => seq)).toEqual(["0", "1", "1", "2", "2", "3"])
  const [, [, refusedAt = 0] = [], [, againAt = 0] = []] = came
  expect(againAt - refusedAt).toBeGreaterThan(990)
  expect(states).toEqual(["pushing", "waiting", "pushing", "waiting", "pushing", "stopped"])
})

test("a push whose address was replaced ends with the server's reason and its code", async () => {
  const server = await startTestServer()
  onTestFinished(() => server.stop())
  const { key } = await createWorkspace(server.url)
  const onAir = await startBroadcast(server.url, key)
  const recorder = new FileRecorder()
  const states: Array<ReadonlyArray<string | undefined>> = []
  const push = new BroadcastPush({
    streamUrl: onAir.streamUrl,
    makeRecorder: () => recorder,
    onState: (...state) => states.push(state),
  })
  push.start()
  recorder.play(1)
  await eventually(() => push.pending === 0, "the first piece")
  await onAir.newIngest()
  recorder.play(1)
  await eventually(() => push.state === "refused", "the refusal")
  expect(recorder.state).toBe("inactive")
  expect(states.at(-1)).toEqual([
    "refused",
    "The address of the encoder is not valid, or has been replaced.",
    "unauthorized",
  ])
})
