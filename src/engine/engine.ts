/** uWebSockets.js, in the build that fits this machine. The types are those of the older build, which the newer one keeps. */
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

/** A separate function, so that its result holds only the slot. */
const calling = (slot: { handler: Handler | undefined }) =>
  function call(this: unknown, ...args: never) {
    return slot.handler?.apply(this, args)
  }

const keepingFunctions = <B extends object>(behavior: B, keep: Keep): B =>
  Object.fromEntries(
    Object.entries(behavior).map(([name, value]) => [name, typeof value === "function" ? keep(value) : value]),
  ) as B

/** Applies to another app what was bound to one app. */
type Binding = (app: Engine.TemplatedApp) => void

const makeApp = (options: Engine.AppOptions, onBound: (binding: Binding) => void): Engine.TemplatedApp => {
  const app = engine.App(options)
  const slots: { handler: Handler | undefined }[] = []
  const keep: Keep = (handler) => {
    const slot = { handler }
    slots.push(slot)
    return calling(slot) as typeof handler
  }
  for (const method of METHODS) {
    const register = app[method]
    app[method] = (pattern, handler) => {
      const kept = keep(handler)
      onBound((other) => other[method](pattern, kept))
      return register.call(app, pattern, kept)
    }
  }
  const { ws, close } = app
  app.ws = <U>(pattern: Engine.RecognizedString, behavior: Engine.WebSocketBehavior<U>) => {
    const kept = keepingFunctions(behavior as Engine.WebSocketBehavior<unknown>, keep)
    onBound((other) => other.ws(pattern, kept))
    return ws.call(app, pattern, kept)
  }
  app.close = () => {
    close.call(app)
    // Handlers of sockets that close with the app are called during the close.
    for (const slot of slots) slot.handler = undefined
    return app
  }
  return app
}

/**
 * An app that releases its handlers when it is closed. The engine keeps each app and its handlers until the process ends, and with them
 * everything that a closed server has created: a process that starts many servers would keep all of them.
 */
export const App = (options: Engine.AppOptions = {}): Engine.TemplatedApp => makeApp(options, () => {})

/** Methods that both builds of the engine have, but only the types of the newer one. */
interface Distributing extends Engine.TemplatedApp {
  readonly getDescriptor: () => unknown
  readonly addChildAppDescriptor: (descriptor: unknown) => void
  readonly removeChildAppDescriptor: (descriptor: unknown) => void
}

interface SecureApp {
  /** Routes bound to this app answer with TLS too. A port on which this app itself listens has no TLS. */
  readonly app: Engine.TemplatedApp
  /** The app that listens on the port with TLS. Without a certificate it ends every handshake. */
  readonly front: Engine.TemplatedApp
  /** Uses the certificate for new connections; the file contains its key too. Existing connections keep theirs. */
  readonly use: (file: string) => void
}

/**
 * TLS with replaceable certificates. The engine's own way, removing a name and adding it again, frees the routes that open connections
 * still use. So each certificate has an app with all routes: one app listens and gives each new connection to the app of the newest
 * certificate. Older apps keep their connections, and are closed with the rest.
 */
export const secureApp = (): SecureApp => {
  const bindings: Binding[] = []
  const secure: Distributing[] = []
  const app = makeApp({}, (binding) => {
    bindings.push(binding)
    for (const one of secure) binding(one)
  })
  const front = engine.SSLApp({}) as Distributing
  const { publish, close } = app
  app.publish = (...message) => {
    const reached = [app, ...secure].filter((one) =>
      one === app ? publish.apply(app, message) : one.publish(...message),
    )
    return reached.length > 0
  }
  app.close = () => {
    for (const one of [front, ...secure]) one.close()
    return close.call(app)
  }
  const use = (file: string): void => {
    const before = secure.at(-1)
    const next = engine.SSLApp({ key_file_name: file, cert_file_name: file }) as Distributing
    for (const binding of bindings) binding(next)
    front.addChildAppDescriptor(next.getDescriptor())
    if (before !== undefined) front.removeChildAppDescriptor(before.getDescriptor())
    secure.push(next)
  }
  return { app, front, use }
}
