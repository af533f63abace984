/**
 * Composes the live gateway and binds it to `/v1/gateway` of a given app; the composition root listens. It ends with `drain` or `stop`:
 * timers, feed subscriptions and sockets are then gone, and no participant was reported as left.
 */
import { Cause, Effect, Exit, FiberSet, Scope } from "effect"
import { Feed } from "../actors/feed.ts"
import { LiveEvents } from "../actors/live-events.ts"
import { currentTimers, every } from "../clock/timers.ts"
import { AnonymousBudgets } from "../identity/callers/anonymous-budgets.ts"
import { ClientAddresses } from "../identity/callers/client-addresses.ts"
import { GrantChanges } from "../identity/grant-changes.ts"
import { StreamSessions } from "../identity/stream-sessions.ts"
import { Tokens } from "../identity/tokens.ts"
import { MediaLinks } from "../media/links.ts"
import { MediaServerApi } from "../media/livekit/media-server-api.ts"
import { ServerMessages } from "../media/livekit/server-messages.ts"
import { LiveBroadcasts } from "../media/placed/live-broadcasts.ts"
import { Media } from "../media/seats.ts"
import { CLOSE } from "../protocol/wire/close-codes.ts"
import { Database } from "../store/database.ts"
import { FileAllowance } from "../telemetry/open-files.ts"
import { Telemetry } from "../telemetry/telemetry.ts"
import { Hub } from "./event/hub.ts"
import { RoomGuard } from "./expulsion/room-guard.ts"
import { Commands } from "./frames/commands.ts"
import { FrameHandler } from "./frames/frame-handler.ts"
import { AbsentParticipants } from "./memory/absent-participants.ts"
import { GATEWAY_DEFAULTS, type GatewaySettings } from "./options.ts"
import { GatewayDoor } from "./requests/door.ts"
import { RequestCommands } from "./requests/request-commands.ts"
import type { GatewayServices } from "./services.ts"
import { EventStreams } from "./transport/event-streams.ts"
import { SocketAddresses } from "./transport/socket-addresses.ts"
import { bindSockets, type SocketApp } from "./transport/uws-socket.ts"

const TELL_AGAIN_MS = 60_000
const FILES_SHORT =
  "New sockets are refused, because the process has almost as many open files as it may (LimitNOFILE, ulimit -n)."

export interface RunningGateway {
  /**
   * Accepts no new sockets, asks each client to reconnect after a random part of `withinMs`, then closes it (1012, or 4003 when other nodes
   * take over), and stops. Resolves when the last socket is closed, at the latest after `withinMs`.
   */
  readonly drain: (withinMs: number, reason: "drain" | "moved") => Promise<void>
  /** Closes everything at once; idempotent. */
  readonly stop: () => Promise<void>
  /** Number of open sockets. */
  readonly connections: () => number
}

/** `node`: name of this process in presence reports. */
type GatewayBindOptions = { readonly node: string } & Partial<GatewaySettings>

type GatewayRequirements =
  | LiveEvents
  | Feed
  | Database
  | Tokens
  | GrantChanges
  | Media
  | LiveBroadcasts
  | MediaLinks
  | Telemetry
  | ClientAddresses
  | AnonymousBudgets
  | GatewayDoor
  | StreamSessions

/** Binds the gateway to an app. It must be drained or stopped before its services end. */
export const bindGateway = (
  app: SocketApp,
  { node, ...given }: GatewayBindOptions,
): Effect.Effect<RunningGateway, never, GatewayRequirements> =>
  Effect.gen(function* () {
    const options: GatewaySettings = { ...GATEWAY_DEFAULTS, ...given }
    const telemetry = yield* Telemetry
    const scope = yield* Scope.make()
    const fibers = yield* Scope.provide(FiberSet.make<void>(), scope)
    const fork = yield* FiberSet.runtime(fibers)<never>()
    let isStopped = false
    const timers = yield* currentTimers
    const live = yield* LiveEvents
    const feed = yield* Feed
    const guarded: GatewayServices["fork"] = (effect) =>
      fork(
        Effect.catchCause(effect, (cause) =>
          Effect.sync(() => {
            if (Cause.hasInterruptsOnly(cause)) return
            failed(Cause.squash(cause))
          }),
        ),
      )
    const [mediaServer, messages] = [yield* MediaServerApi, yield* ServerMessages]
    const media = yield* Media
    const database = yield* Database
    const services: GatewayServices = {
      options,
      timers,
      telemetry,
      node,
      live,
      feed,
      database,
      tokens: yield* Tokens,
      grants: yield* GrantChanges,
      absent: new AbsentParticipants(timers, options.absentParticipants),
      anonymous: yield* AnonymousBudgets,
      media,
      roomGuard:
        mediaServer === null || messages === null
          ? null
          : new RoomGuard(mediaServer, {
              live,
              feed,
              database,
              timers,
              media,
              arrivals: messages.arrivals,
              sweepMs: options.roomSweepMs,
              moveMs: options.moveMs,
              telemetry,
              fork: guarded,
            }),
      broadcasts: yield* LiveBroadcasts,
      links: yield* MediaLinks,
      fork: guarded,
      publish: (topic, text) => {
        if (isStopped) return
        telemetry.metrics.framesSent.add()
        app.publish(topic, text)
        streams.publish(topic, text)
      },
    }
    const failed = (error: unknown): void => telemetry.log.error({ err: error }, "the gateway failed unexpectedly")
    const hub = new Hub(services)
    // The counters exist from the start, so that an alert on a close code does not wait for its first socket.
    for (const { code } of Object.values(CLOSE)) telemetry.metrics.disconnects.add(0, String(code))
    telemetry.sample(() => {
      telemetry.metrics.callPeers.set(hub.callPeers)
      telemetry.metrics.waiting.set(hub.waiting)
    })
    const commands = new Commands(services)
    const frames = new FrameHandler(services, hub, commands)
    const requests = new RequestCommands(services, hub, commands)
    const clients = yield* ClientAddresses
    const addresses = new SocketAddresses(options.socketsPerAddress)
    const files = new FileAllowance()
    let toldAt = Number.NEGATIVE_INFINITY
    const lacksFiles = (): boolean => {
      if (files.fitsBeside(hub.size)) return false
      const now = timers.elapsed()
      if (now - toldAt >= TELL_AGAIN_MS) {
        toldAt = now
        telemetry.log.warn({ sockets: hub.size }, FILES_SHORT)
      }
      return true
    }
    const handlers: ConstructorParameters<typeof EventStreams>[0] = {
      refusal: ({ address, isShared }) => {
        if (hub.isFull || lacksFiles()) return "full"
        return isShared || addresses.admits(address) ? undefined : "address"
      },
      opened: (socket, { address, isShared }, session) => {
        if (!isShared) addresses.opened(address)
        return frames.opened(socket, address, session)
      },
      closed: ({ address, isShared }) => {
        if (!isShared) addresses.closed(address)
      },
      received: frames.received,
      drained: frames.drained,
      sent: () => telemetry.metrics.framesSent.add(),
      failed,
    }
    const { orderedLimitBytes } = options
    bindSockets(app, orderedLimitBytes, { ...handlers, clientOf: clients.of })
    const streams = new EventStreams(handlers, { sessions: yield* StreamSessions, timers, orderedLimitBytes })
    const silences = [
      (yield* GatewayDoor).open({
        send: (visitor, sent) => requests.send(visitor, sent),
        sendTogether: (visitor, sent) => requests.sendTogether(visitor, sent),
        rehearse: (visitor, frame) => requests.rehearse(visitor, frame),
        streams,
      }),
      services.grants.subscribe((change) => hub.grantWatch.changed(change)),
      services.grants.addGateway((forgotten) => hub.settled(forgotten)),
    ]
    const stopSweeping = every(timers, options.sweepMs, () => {
      try {
        hub.sweep(timers.now())
      } catch (error) {
        failed(error)
      }
    })
    const stop = async (): Promise<void> => {
      if (isStopped) return
      stopSweeping()
      for (const silence of silences) silence()
      services.roomGuard?.stop()
      hub.stop()
      streams.stop()
      isStopped = true
      await Effect.runPromise(Scope.close(scope, Exit.void))
    }
    return {
      stop,
      drain: async (withinMs, reason) => {
        await hub.drain(withinMs, reason)
        await stop()
      },
      connections: () => hub.size,
    }
  })
