/**
 * The TypeScript client with one fault: `node broken-client.mjs <module> <fault> <WebSocket module>`. A fault changes what goes over its
 * WebSocket, or what it tells.
 */
const [module, fault, sockets] = process.argv.slice(2)
const library = await import(module)
const { WebSocket } = (await import(sockets)).default
const { serve, tell } = await import("../../packages/conformance/adapters/typescript.mjs")

/** Of the whole run: what faults remember. */
const memory = { token: undefined, ids: new Map(), cursors: {}, renamed: new Map(), unanswered: new Set() }
const isCommand = ({ op }) => op === 3

const FAULTS = {
  /** Begins anew after each loss. */
  "forgets its position": {
    sent: (frame) => (frame.op === 2 ? { ...frame, d: { ...frame.d, resume: undefined } } : frame),
  },
  "tells a dispatch twice": {
    received: (frame) => {
      if (frame.t === "ready" && !frame.d.resumed) memory.cursors = { ...frame.d.cursors }
      const cursor = memory.cursors[frame.st]
      if (frame.s <= cursor) tell("dispatches", [frame.t, frame.d])
      if (frame.s === cursor + 1) memory.cursors[frame.st] = frame.s
      return frame
    },
  },
  "reads a frame from its end": { packed: (frames) => frames.toReversed() },
  "never asks for what is missing": { sent: (frame) => (frame.t === "sync" ? undefined : frame) },
  "does not heed `op 7`": { received: (frame) => (frame.op === 7 ? undefined : frame) },
  "goes on after a removal": { closed: (code) => (code === 4304 ? 4000 : code) },
  "waits without jitter": { random: 0.999 },
  "takes its own heartbeat for an answer": {
    sent: (frame, socket) => {
      if (frame.op === 1) queueMicrotask(() => socket.hear({ op: 99 }))
      return frame
    },
  },
  "keeps its first token": {
    sent: (frame) => {
      if (frame.op !== 2) return frame
      if (frame.d.resume === undefined) memory.token = frame.d.token
      return { ...frame, d: { ...frame.d, token: memory.token } }
    },
  },
  "repeats a command under another id": {
    sent: (frame) => {
      if (!isCommand(frame)) return frame
      const times = memory.ids.get(frame.id) ?? 0
      memory.ids.set(frame.id, times + 1)
      if (times === 0) return frame
      memory.renamed.set(`${frame.id}-again`, frame.id)
      return { ...frame, id: `${frame.id}-again` }
    },
    received: (frame) => (frame.op === 4 ? { ...frame, id: memory.renamed.get(frame.id) ?? frame.id } : frame),
  },
  "sends all commands at once": {
    sent: (frame, socket) => {
      if (isCommand(frame)) memory.unanswered.add(frame.id)
      if (memory.unanswered.size === 16) for (const id of ["c16", "c17"]) socket.raw({ ...frame, id })
      return frame
    },
    received: (frame) => {
      if (frame.op === 4) memory.unanswered.delete(frame.id)
      return frame
    },
  },
  "does not know the lobby": { received: (frame) => (frame.t === "lobby.status" ? undefined : frame) },
  "sends its frames without the session": { session: false },
}

const { sent = (frame) => frame, received = (frame) => frame, packed = (frames) => frames, ...how } = FAULTS[fault]

class FaultySocket {
  #socket
  #hear = () => {}

  constructor(url, protocols) {
    this.#socket = new WebSocket(url, protocols)
  }

  get readyState() {
    return this.#socket.readyState
  }

  raw(frame) {
    this.#socket.send(JSON.stringify(frame))
  }

  hear(frame) {
    this.#hear({ data: JSON.stringify(frame) })
  }

  send(text) {
    const frame = sent(JSON.parse(text), this)
    if (frame !== undefined) this.raw(frame)
  }

  close(code, reason) {
    this.#socket.close(code, reason)
  }

  addEventListener(type, listener) {
    if (type === "message") {
      this.#hear = listener
      this.#socket.addEventListener(type, ({ data }) => {
        const frames = [JSON.parse(data)].flat()
        for (const frame of packed(frames).map((one) => received(one, this)))
          if (frame !== undefined) listener({ data: JSON.stringify(frame) })
      })
    } else if (type === "close")
      this.#socket.addEventListener(type, ({ code, reason }) => listener({ code: how.closed?.(code) ?? code, reason }))
    else this.#socket.addEventListener(type, listener)
  }
}

if (how.session === false) {
  const real = globalThis.fetch
  globalThis.fetch = (url, init) =>
    real(
      url,
      String(url).endsWith("/commands")
        ? { ...init, headers: { ...init.headers, authorization: "Bearer none" } }
        : init,
    )
}
// The other faults are in the WebSocket.
const transports = how.session === false ? ["websocket", "sse"] : ["websocket"]
await serve(library, { WebSocket: FaultySocket }, { random: how.random, transports })
