/** The acts whose roads are measured, against a running server. Each resolves when its effect can be seen from outside. */
import { once } from "node:events"
import { createServer } from "node:http"
import { setTimeout } from "node:timers/promises"
import { WebSocket } from "ws"

const SETTLES_MS = 500

const json = { "content-type": "application/json" }

export const prepare = async (base) => {
  const call = async (method, path, { body, headers = {} } = {}) => {
    const answer = await fetch(base + path, {
      method,
      headers: { ...json, ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
    return { cookie: answer.headers.get("set-cookie")?.split(";")[0], ...(text === "" ? {} : JSON.parse(text)) }
  }
  const person = { email: `${crypto.randomUUID()}@example.com`, password: "four words of the roads", name: "Ada" }
  const { cookie } = await call("POST", "/v1/accounts/signup", { body: person })
  const workspace = await call("POST", "/v1/workspaces", { body: { name: "Roads" }, headers: { cookie } })
  const headers = { "x-api-key": workspace.apiKey.secret }
  const post = (path, body) => call("POST", path, { body, headers })

  const phases = Array.from({ length: 4 }, () => ({ modality: "meeting" }))
  const event = () => post("/v1/events", { type: "webinar", title: "Roads", visibility: "public", phases })
  const live = async () => {
    const { id } = await event()
    await post(`/v1/events/${id}/publish`)
    await post(`/v1/events/${id}/start`)
    return id
  }

  const open = async (token, url) => {
    const socket = new WebSocket(url)
    const waiting = new Set()
    socket.on("message", (data) => {
      const frames = [JSON.parse(String(data))].flat()
      for (const wait of [...waiting]) for (const frame of frames) wait(frame)
    })
    const next = (fits) =>
      new Promise((resolve) => {
        const wait = (frame) => {
          if (!fits(frame)) return
          waiting.delete(wait)
          resolve(frame)
        }
        waiting.add(wait)
      })
    await next(({ op }) => op === 10)
    const send = (frame) => socket.send(JSON.stringify(frame))
    const identify = async () => {
      const ready = next(({ t }) => t === "ready")
      send({ op: 2, d: { token } })
      return (await ready).d
    }
    return { identify, next, send, close: () => socket.close() }
  }
  const socketOf = async (eventId, role) => {
    const user = await post("/v1/users", { externalSub: crypto.randomUUID(), name: "Grace" })
    await post(`/v1/events/${eventId}/memberships`, { userId: user.id, role })
    const { sessionToken } = await post(`/v1/users/${user.id}/session`)
    const session = { authorization: `Bearer ${sessionToken}` }
    const { token, url } = await call("POST", "/v1/auth/gateway-token", { body: { eventId }, headers: session })
    return open(token, url)
  }

  const received = []
  const receiver = createServer((request, response) => {
    request.resume().on("end", () => {
      response.end()
      received.shift()?.()
    })
  })
  receiver.listen(0, "127.0.0.1")
  await once(receiver, "listening")
  await post("/v1/webhooks", {
    url: `http://127.0.0.1:${receiver.address().port}/`,
    eventTypes: ["event.published"],
  })

  const eventId = await live()
  const [host, other] = [await socketOf(eventId, "host"), await socketOf(eventId, "participant")]
  await host.identify()
  await other.identify()

  /** The acts by name. Each prepares itself, and returns the act. */
  return {
    acts: {
      "POST /v1/events": async () => () => event(),
      "phase.next": async () => {
        const [own, others] = [({ op }) => op === 4, ({ t }) => t?.startsWith("phase.")]
        return async () => {
          const seen = [host.next(own), host.next(others), other.next(others)]
          host.send({ op: 3, id: crypto.randomUUID(), t: "phase.next", d: {} })
          const [reply] = await Promise.all(seen)
          if (!reply.ok) throw new Error(`phase.next: ${JSON.stringify(reply)}`)
        }
      },
      identify: async () => {
        const socket = await socketOf(eventId, "participant")
        return () => socket.identify()
      },
      upload: async () => async () => {
        const bytes = Buffer.alloc(1000, 7)
        const made = await post(`/v1/events/${eventId}/recordings`, {
          kind: "merged",
          title: "Film",
          sizeBytes: bytes.length,
        })
        const put = await fetch(made.uploadUrl, { method: "PUT", body: bytes })
        if (!put.ok) throw new Error(`PUT: ${put.status} ${await put.text()}`)
        await post(`/v1/recordings/${made.id}/complete`, { sizeBytes: bytes.length })
      },
      webhook: async () => {
        const { id } = await event()
        return async () => {
          const came = new Promise((resolve) => received.push(resolve))
          await post(`/v1/events/${id}/publish`)
          await came
          // The list of deliveries would be on the road itself: the receiver's answer is stored within this time.
          await setTimeout(SETTLES_MS)
        }
      },
    },
    close: () => {
      host.close()
      other.close()
      receiver.close()
    },
  }
}
