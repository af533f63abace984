/**
 * The composition root: configuration to layers to a listening socket, and back in reverse order. The only file that imports all parts.
 * Start: listen (and report it), database, process lock, schema, actors, dispatcher, routes; a server behind a proxy listens last. Stop: no
 * new connections, sockets asked to reconnect, requests and deliveries in flight finished, actors stopped, lock and database released.
 */

import type { us_listen_socket } from "uWebSockets.js"
import { randomBytes } from "node:crypto"
import { hostname } from "node:os"
import { Effect, ManagedRuntime, Redacted } from "effect"
import type { Config } from "../config/config.ts"
import { us_listen_socket_close, us_socket_local_port } from "../engine/engine.ts"
import { bindGateway } from "../gateway/gateway.ts"
import { clientRoutes } from "../http/description/client-files.ts"
import { docsRoutes } from "../http/description/docs-files.ts"
import { webRoutes } from "../http/pages/web-files.ts"
import { bindRest } from "../http/rest.ts"
import { Problems } from "../http/transport/problem.ts"
import { answerEverything } from "../http/transport/uws-http.ts"
import { Unavailable } from "../model/errors.ts"
import { listenUrl } from "../model/listen-url.ts"
import { RELEASE } from "../protocol/wire/release.ts"
import { openDatabase, usable } from "../store/open-database.ts"
import { recogniseInstance } from "../store/quiet/instance.ts"
import { openKeptKeys } from "../store/sealing/sealing-keys.ts"
import { Telemetry } from "../telemetry/telemetry.ts"
import { BUILD_FILES, type BuildFiles } from "./build-files.ts"
import { LAYERS_WITHIN_MS, RESERVE_MS, STOP_WITHIN_MS } from "./deadlines.ts"
import { descriptionsOf } from "./descriptions.ts"
import { layersOf } from "./layers/layers.ts"
import { appOf, EXCLUSIVE_PORT, LOOPBACK, listenOn, openHttpPort, SHARED_PORT, untilAllAreTaken } from "./listening.ts"
import { atMost, drained, pause } from "./stopping.ts"

export interface RunningServer {
  /** Base address, such as `http://127.0.0.1:8080`. */
  readonly url: string
  readonly publicUrl: string
  /** Short description of the database, for the operator. */
  readonly database: string
  /** Stops gracefully, within ten seconds after `drainDelayMs` even if a part hangs; idempotent. */
  readonly stop: () => Promise<void>
  /** Called when even that stop is too slow: leaves no database process behind. */
  readonly abandon: () => void
  /** Resolves with a sentence when the database has ended for good. */
  readonly failed: Promise<string>
}

/** Answer to all requests until the routes are bound: clients try again, and load balancers use other servers. */
const startingAnswer = (publicUrl: string) =>
  new Problems(`${publicUrl}/v1/errors`).of(
    new Unavailable({ detail: "The server is starting.", retryAfterSeconds: 1 }),
  )

/** Starts everything; rejects with `StartRefused`, `ConfigInvalid`, or a refusal of the database. */
export const startServer = async (
  config: Config,
  say: (line: string) => void,
  given: Partial<BuildFiles> = {},
): Promise<RunningServer> => {
  const parts = { ...BUILD_FILES, ...given }
  const { app, front, scheme, certificates } = appOf(config)
  const sockets: us_listen_socket[] = []
  const listen = (): void => {
    const sharing = config.isWorker ? SHARED_PORT : EXCLUSIVE_PORT
    sockets.unshift(listenOn(front, config.host, config.port, sharing))
  }
  const stopAccepting = (): void => {
    for (const socket of sockets.splice(0)) us_listen_socket_close(socket)
  }
  const isNode = config.cluster !== null
  const urlOf = ([first]: typeof sockets): string =>
    listenUrl(config.host, first === undefined ? config.port : us_socket_local_port(first), scheme)
  // Until this process can answer, other workers and nodes take the requests, or a proxy holds them; otherwise clients get 503.
  const listensLast = config.isWorker || (config.publicUrl !== null && config.trustedProxies.length > 0) || isNode
  if (!listensLast) listen()
  const publicUrl = config.publicUrl ?? urlOf(sockets)
  const startUp = answerEverything(app, startingAnswer(publicUrl))
  const nodeLostMs = config.cluster?.lostMs ?? null
  const open = await openDatabase({ ...config, nodeLostMs }, say).catch((cause: unknown) => {
    stopAccepting()
    throw cause
  })
  let stopBy = Number.POSITIVE_INFINITY
  const graceMs = (): number => Math.max(500, Math.min(8000, stopBy - RESERVE_MS - Date.now()))
  const undo: Array<() => Promise<void> | void> = [() => open.close(graceMs())]
  const unwind = async (): Promise<void> => {
    for (let step = undo.pop(); step !== undefined; step = undo.pop()) await step()
  }
  try {
    undo.push(stopAccepting)
    undo.push(...openHttpPort(config, certificates, publicUrl, sockets))
    const kept = await usable(open.name, () =>
      openKeptKeys(Redacted.value(open.url), config.secretKeys, config.cluster),
    )
    const instance = await usable(open.name, () => recogniseInstance(Redacted.value(open.url), config))
    const node = `${hostname()}:${process.pid}:${randomBytes(3).toString("hex")}`
    const layers = layersOf({ config, open, node, publicUrl, kept, instance, certificates, parts })
    const runtime = ManagedRuntime.make(layers)
    undo.push(() => atMost(LAYERS_WITHIN_MS, runtime.dispose()))
    const info = { version: RELEASE, node: process.version }
    await runtime.runPromise(
      Effect.map(Telemetry, ({ metrics, log }) => {
        metrics.buildInfo(info)
        const { from, to } = open.schema
        if (from !== to) log.info({ from, to }, "the database has the schema of this release now")
      }),
    )
    let isStopping = false
    const rest = await runtime.runPromise(
      bindRest(app, {
        metricsToken: config.metricsToken,
        securityContact: config.securityContact,
        accessLog: config.accessLog,
        production: config.production,
        deadlineMs: config.answers.requestMs,
        uploads: config.mediaUploads,
        descriptions: descriptionsOf(parts.descriptions, publicUrl),
        isStopping: () => isStopping,
        files: [
          ...clientRoutes(parts.clientFiles),
          ...docsRoutes(parts.docsFiles, publicUrl),
          ...(config.web === null
            ? []
            : webRoutes(parts.webFiles, {
                ...config.web,
                publicUrl,
                mediaUrl: config.media?.url ?? null,
                production: config.production,
              })),
        ],
        obstacle: () => {
          if (isStopping) return "The server is stopping."
          if (open.lock.held()) return null
          if (open.lock.isElsewhere()) return "Another server has taken over the database."
          return `The ${open.node === null ? "server" : "node"}'s session on the database is lost.`
        },
      }),
    )
    const gateway = await runtime.runPromise(
      bindGateway(app, {
        node,
        historyMs: config.gatewayHistoryMs,
        historyEntries: config.gatewayHistoryEntries,
        keptHistoryDays: config.keptHistoryDays,
        socketsPerAddress: config.socketsPerAddress,
        publicUrl,
        mesh: config.mesh,
        ...parts.gateway,
      }),
    )
    startUp()
    if (listensLast) listen()
    const url = urlOf(sockets)
    if (config.adminPort !== null) sockets.push(listenOn(app, LOOPBACK, config.adminPort, EXCLUSIVE_PORT))
    const stop = async (): Promise<void> => {
      isStopping = true
      // Load balancers see `/readyz` and send no more; until then connections are accepted.
      await pause(config.drainDelayMs)
      stopBy = Date.now() + STOP_WITHIN_MS
      await untilAllAreTaken()
      stopAccepting()
      await drained(app, rest, gateway, config)
      await unwind()
      app.close()
    }
    let stopping: Promise<void> | undefined
    return {
      url,
      publicUrl,
      database: open.description,
      failed: open.failed,
      abandon: open.abandon,
      stop: () => {
        stopping ??= stop()
        return stopping
      },
    }
  } catch (cause) {
    await unwind()
    throw cause
  }
}
