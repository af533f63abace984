/** uWebSockets.js, in the build that fits this machine. Its types are those of the older build, which the newer one keeps. */
import type * as Engine from "uWebSockets.js"
import { engineFor, thisMachine } from "./engine-choice.ts"

const load = async (): Promise<typeof Engine> => {
  const choice = engineFor(thisMachine())
  if ("refusal" in choice) throw new Error(choice.refusal)
  return choice.isNext ? await import("uWebSockets.js-next") : await import("uWebSockets.js")
}

const engine = await load()
export const { us_listen_socket_close, us_socket_local_port } = engine

type Handler = (...args: never) => unknown
/** Returns a handler that calls the given one until the app is closed. */
type Keep = <H extends Handler>(handler: H) => H

const METHODS = ["any", "get", "head", "post", "patch", "put", "del"] as const

/** This is a function of its own, so that what it returns holds the slot alone. */
const calling = (slot: { handler: Handler | undefined }) =>
  function call(this: unknown, ...args: never) {
    return slot.handler?.apply(this, args)
  }

const keepingFunctions = <B extends object>(behavior: B, keep: Keep): B =>
  Object.fromEntries(
    Object.entries(behavior).map(([name, value]) => [name, typeof value === "function" ? keep(value) : value]),
  ) as B

/**
 * An app that lets go of its handlers when it is closed. The engine keeps each app and its handlers until the process ends, and with
 * them everything that a closed server has made: a process that starts many servers would keep all of them.
 */
export const App = (options: Engine.AppOptions = {}): Engine.TemplatedApp => {
  const app = engine.App(options)
  const slots: { handler: Handler | undefined }[] = []
  const keep: Keep = (handler) => {
    const slot = { handler }
    slots.push(slot)
    return calling(slot) as typeof handler
  }
  for (const method of METHODS) {
    const register = app[method]
    app[method] = (pattern, handler) => register.call(app, pattern, keep(handler))
  }
  const { ws, close } = app
  app.ws = <U>(pattern: Engine.RecognizedString, behavior: Engine.WebSocketBehavior<U>) =>
    ws.call(app, pattern, keepingFunctions(behavior as Engine.WebSocketBehavior<unknown>, keep))
  app.close = () => {
    close.call(app)
    // The handlers of sockets that close with the app are called within it.
    for (const slot of slots) slot.handler = undefined
    return app
  }
  return app
}
