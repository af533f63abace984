/** The gateway on real sockets, over the real actors and a real database: one per test file. */

import type { us_listen_socket } from "uWebSockets.js"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Clock, Effect, identity, Layer, Redacted } from "effect"
import { onTestFinished } from "vitest"
import { LiveEvents } from "../../src/actors/live-events.ts"
import type { PresenceReport } from "../../src/actors/protocol.ts"
import { App, us_listen_socket_close, us_socket_local_port } from "../../src/engine/engine.ts"
import { bindGateway, type RunningGateway } from "../../src/gateway/gateway.ts"
import type { GatewaySettings } from "../../src/gateway/options.ts"
import { GatewayDoor } from "../../src/gateway/requests/door.ts"
import { gatewayStreamRoutes } from "../../src/http/gateway/stream-routes.ts"
import { Problems } from "../../src/http/transport/problem.ts"
import { bindRoutes } from "../../src/http/transport/uws-http.ts"
import { AnonymousBudgets } from "../../src/identity/callers/anonymous-budgets.ts"
import { ClientAddresses } from "../../src/identity/callers/client-addresses.ts"
import { type GrantChange, GrantChanges } from "../../src/identity/grant-changes.ts"
import { StreamSessions } from "../../src/identity/stream-sessions.ts"
import { type GatewayGrant, Tokens } from "../../src/identity/tokens.ts"
import { MediaLinks, mediaLinksOf } from "../../src/media/links.ts"
import { MediaServerApi, mediaServerApiOf } from "../../src/media/livekit/media-server-api.ts"
import { ServerMessages, serverMessagesOf } from "../../src/media/livekit/server-messages.ts"
import { LiveBroadcasts } from "../../src/media/placed/live-broadcasts.ts"
import { Media, type MediaServer } from "../../src/media/seats.ts"
import { diskStorageLayer } from "../../src/media/storage/disk-storage.ts"
import { newId } from "../../src/model/ids.ts"
import { parseTrustedProxies } from "../../src/model/limits/client-address.ts"
import type { PhaseInput } from "../../src/model/phase.ts"
import type { EventRole } from "../../src/model/roles.ts"
import { MediaSignal } from "../../src/store/media/media-signal.ts"
import { Telemetry } from "../../src/telemetry/telemetry.ts"
import { createTestDatabase } from "../support/database.ts"
import { openJumpingClock } from "../support/jumping-clock.ts"
import { type ActorHouse, seedEvent, startActors } from "../support/live-events.ts"
import { NODES, untilSpread } from "../support/nodes.ts"
import { NO_HEARTBEATS_MS } from "../support/patience.ts"
import { shared } from "../support/shared.ts"
import { Client } from "./client.ts"
import { StreamClient } from "./stream-client.ts"

export const SECRET = "a secret key of the tests, long enough"

const PROBLEMS = new Problems("http://127.0.0.1/v1/errors")

const tokensLayer = Tokens.layer([Redacted.make(SECRET)])

export interface Stage {
  readonly eventId: string
  readonly workspaceId: string
  readonly phaseIds: ReadonlyArray<string>
}

/** Of the gateway, and the media server it gives seats in. */
type Options = Partial<GatewaySettings> & {
  readonly media?: MediaServer | null
  /** The media server is there, so that its rooms are looked after. */
  readonly guardsRooms?: boolean
  /** The clock of the gateway alone; the clock of the system by default. */
  readonly clock?: Clock.Clock
  /** A report of arrivals and departures goes to the live event when this has resolved. */
  readonly beforeReport?: (changes: PresenceReport["changes"]) => Promise<void>
}

interface Node {
  readonly gateway: RunningGateway
  readonly changeGrants: (change: GrantChange) => void
  /** As Prometheus reads them. */
  readonly metrics: () => string
  readonly url: string
  readonly stop: () => Promise<void>
}

export interface House {
  readonly actors: ActorHouse
  /** For a second set of actors, which takes the events over. */
  readonly databaseUrl: string
  readonly gateway: RunningGateway
  /** The first gateway; `connect` takes the next of several. */
  readonly url: string
  /** An event, which is live by default. */
  readonly stage: (phases?: ReadonlyArray<PhaseInput>, status?: "draft" | "scheduled" | "live") => Promise<Stage>
  readonly token: (stage: Stage, who: string, role?: EventRole, more?: Partial<GatewayGrant>) => Promise<string>
  readonly connect: (how?: {
    readonly url?: string
    readonly protocols?: ReadonlyArray<string>
    /** The address it comes from, as a proxy says. */
    readonly from?: string
  }) => Client
  /** A client that has got its `ready`. */
  readonly join: (stage: Stage, who: string, role?: EventRole, more?: Partial<GatewayGrant>) => Promise<Client>
  /** A connection without a WebSocket. */
  readonly connectStream: (
    how: ConstructorParameters<typeof StreamClient>[1] & { readonly url?: string },
  ) => StreamClient
  /** One that has got its `ready`. */
  readonly joinStream: (...who: Parameters<House["join"]>) => Promise<StreamClient>
  /** Of people at another node. */
  readonly report: (stage: Stage, changes: PresenceReport["changes"]) => Promise<void>
  /** Announces a change of grants to the gateway, as REST does after a commit. */
  readonly changeGrants: (change: GrantChange) => void
  /** As Prometheus reads them. */
  readonly metrics: () => string
  /** One more gateway before the same actors; its address. */
  readonly anotherNode: (name: string) => Promise<string>
  /** Of several nodes: the gateway of the one that owns the event, and its end, after which the event is another node's. */
  readonly ownerOf: (stage: Stage) => Promise<{ readonly url: string; readonly stop: () => Promise<void> }>
  readonly stop: () => Promise<void>
}

const startNode = async (
  actors: ActorHouse,
  node: string,
  { media = null, guardsRooms = false, beforeReport, clock, ...options }: Options,
): Promise<Node> => {
  const delayed = (live: LiveEvents["Service"]): LiveEvents["Service"] =>
    beforeReport === undefined
      ? live
      : {
          ...live,
          reportPresence: (eventId, report) =>
            Effect.andThen(
              Effect.promise(() => beforeReport(report.changes)),
              live.reportPresence(eventId, report),
            ),
        }
  const app = App()
  const services = Layer.mergeAll(
    tokensLayer,
    Media.layer(media, [Buffer.alloc(32)]),
    guardsRooms && media !== null
      ? Layer.mergeAll(
          Layer.effect(MediaServerApi, mediaServerApiOf(media)),
          Layer.effect(ServerMessages, serverMessagesOf(media)),
        )
      : Layer.empty,
    ClientAddresses.layer(parseTrustedProxies("127.0.0.1")),
    AnonymousBudgets.layer(false),
    GatewayDoor.layer,
    StreamSessions.layer([Buffer.alloc(32)]),
    Layer.succeed(MediaLinks, mediaLinksOf([Buffer.alloc(32)])),
    LiveBroadcasts.layer({
      ingest: { most: 8, mostOfOne: 8, maxKbps: 8000, maxHours: 12 },
      followsStage: false,
      quota: { ofWorkspace: 0, ofFounder: 0, provedOnly: false },
    }).pipe(
      // Nothing is pushed here, so the folder is never made.
      Layer.provide([MediaSignal.layer, diskStorageLayer({ folder: join(tmpdir(), newId()), minFreeBytes: 0 })]),
    ),
  ).pipe(Layer.provideMerge(Telemetry.layer("silent")))
  const { gateway, grants, telemetry, routes, clients } = await actors.run(
    Effect.all({
      gateway: Effect.flatMap(LiveEvents, (live) =>
        bindGateway(app, { node, sweepMs: 50, lingerMs: 200, heartbeatMs: NO_HEARTBEATS_MS, ...options }).pipe(
          Effect.provideService(LiveEvents, delayed(live)),
          clock === undefined ? identity : Effect.provideService(Clock.Clock, clock),
        ),
      ),
      grants: GrantChanges,
      telemetry: Telemetry,
      routes: gatewayStreamRoutes(PROBLEMS),
      clients: ClientAddresses,
    }).pipe(Effect.provide(services)),
  )
  bindRoutes(app, routes, {
    problems: PROBLEMS,
    clients,
    isHttps: false,
    isStopping: () => false,
    unknownPath: () => PROBLEMS.write("not_found", "No such path."),
    logsAddresses: false,
    onStart: () => {},
    onEnd: () => {},
  })
  const socket = await new Promise<us_listen_socket>((resolve, reject) => {
    app.listen("127.0.0.1", 0, (opened) => (opened === false ? reject(new Error("no port")) : resolve(opened)))
  })
  return {
    gateway,
    changeGrants: grants.publish,
    metrics: telemetry.render,
    url: `ws://127.0.0.1:${us_socket_local_port(socket)}/v1/gateway`,
    stop: async () => {
      await gateway.stop()
      us_listen_socket_close(socket)
      app.close()
    },
  }
}

interface MortalHouse {
  readonly house: House
  /** What is killed owns nothing. Resolves to the actors that take over. */
  readonly kill: () => Promise<ActorHouse>
}

/** One whose actors a test kills; gone when the test ends. */
export const openMortalHouse = async (
  options: Options = {},
  placement: Parameters<typeof startActors>[1] = {},
): Promise<MortalHouse> => {
  let isAlive = true
  const house = await openHouse(options, { ...placement, holds: () => isAlive })
  onTestFinished(() => house.stop())
  return {
    house,
    kill: async () => {
      isAlive = false
      const survivor = await startActors(house.actors.url)
      onTestFinished(() => survivor.stop())
      return survivor
    },
  }
}

const PLENTY = { perSecond: 1e6, burst: 1e6 }
/** Where a test is about something else. */
export const NO_LIMITS = {
  commands: PLENTY,
  chat: PLENTY,
  questions: PLENTY,
  votes: PLENTY,
  reactions: PLENTY,
  roster: PLENTY,
}

/** One for all tests of a file. */
export const sharedHouse = (...given: Parameters<typeof openHouse>): House =>
  shared(
    () => openHouse(...given),
    (house) => house.stop(),
  )

/** `takeOver`: the database of another server, whose events are brought back from it. */
export const openHouse = async (
  options: Options = {},
  placement: Parameters<typeof startActors>[1] = {},
  takeOver?: string,
): Promise<House> => {
  const database = takeOver === undefined ? await createTestDatabase() : undefined
  const databaseUrl = database?.url ?? takeOver ?? ""
  const opened = await openActors(databaseUrl, placement)
  const [{ actors }] = opened
  const houses = [...opened]
  const [first, ...others] = await Promise.all(houses.map((one) => startNode(one.actors, one.node, options)))
  if (first === undefined) throw new Error("a house needs a node")
  const nodes = [first, ...others]
  const clients: Client[] = []
  let turn = 0
  const balanced = nodes.map(({ url }) => url)
  const nextUrl = (): string => balanced[turn++ % balanced.length] ?? first.url

  const connect: House["connect"] = ({ url = nextUrl(), protocols, from } = {}) => {
    const client = new Client(url, protocols, from === undefined ? {} : { "x-forwarded-for": from })
    clients.push(client)
    return client
  }
  const connectStream: House["connectStream"] = ({ url = nextUrl(), ...opening }) => {
    const client = new StreamClient(url, opening)
    clients.push(client)
    return client
  }
  const token: House["token"] = (stage, who, role = "participant", more = {}) =>
    Effect.runPromise(
      Effect.flatMap(Tokens, (tokens) =>
        tokens.issue("gateway", {
          participantId: who,
          eventId: stage.eventId,
          workspaceId: stage.workspaceId,
          kind: "guest",
          userId: null,
          name: `Name of ${who}`,
          role,
          sessionExpires: Math.floor(Date.now() / 1000) + 3600,
          ...more,
        }),
      ).pipe(
        Effect.map((issued) => issued.token),
        Effect.provide(tokensLayer),
        options.clock === undefined ? identity : Effect.provideService(Clock.Clock, options.clock),
      ),
    )
  return {
    actors,
    databaseUrl,
    gateway: first.gateway,
    url: first.url,
    metrics: first.metrics,
    changeGrants: first.changeGrants,
    connect,
    token,
    stage: async (phases = [{ modality: "meeting" }], status = "live") => {
      const seeded = await seedEvent(actors.sql, phases, status === "draft" ? "draft" : "scheduled")
      // A receiver: occurrences without a receiver are not stored.
      await actors.sql`
        insert into webhook_endpoints (id, workspace_id, url, event_types, secret_sealed, status)
        values (${newId()}, ${seeded.workspaceId}, 'https://receiver.test/', ${["participant.joined", "participant.left"]},
                ${Buffer.alloc(1)}, 'active')`
      if (status === "live") await actors.execute(seeded.eventId, { type: "event.start", d: {} })
      return seeded
    },
    join: async (stage, who, role, more) => {
      const client = connect()
      await client.identify(await token(stage, who, role, more))
      return client
    },
    connectStream,
    joinStream: async (stage, who, role, more) => {
      const client = connectStream({ token: await token(stage, who, role, more) })
      await client.dispatch("ready")
      return client
    },
    report: (stage, changes) =>
      actors.run(
        Effect.flatMap(LiveEvents, (live) => live.reportPresence(stage.eventId, { node: "elsewhere", changes })),
      ),
    anotherNode: async (name) => {
      const node = await startNode(actors, name, options)
      nodes.push(node)
      return node.url
    },
    ownerOf: async ({ eventId }) => {
      const [row] = await actors.sql<{ node: string }[]>`select node from live_events where event_id = ${eventId}`
      const index = houses.findIndex(({ node }) => node === row?.node)
      const [node, own] = [nodes[index], houses[index]]
      if (node === undefined || own === undefined) throw new Error("no node owns the event")
      return {
        url: node.url,
        stop: async () => {
          balanced.splice(balanced.indexOf(node.url), 1)
          nodes.splice(index, 1)
          houses.splice(index, 1)
          await node.stop()
          await own.actors.stop()
        },
      }
    },
    stop: async () => {
      for (const client of clients) client.socket.terminate()
      for (const node of nodes) await node.stop()
      for (const house of houses) await house.actors.stop()
      await database?.drop()
    },
  }
}

interface Actors {
  readonly actors: ActorHouse
  /** As presence knows the gateway before them. */
  readonly node: string
}

/** Those of one process, or those of several nodes where the suite asks for them and the test chooses no placement. */
const openActors = async (
  url: string,
  placement: Parameters<typeof startActors>[1],
): Promise<readonly [Actors, ...Actors[]]> => {
  if (NODES === 1 || Object.keys(placement ?? {}).length > 0) {
    return [{ actors: await startActors(url, placement), node: "test" }]
  }
  const clock = openJumpingClock()
  const open = async (n: number): Promise<Actors> => {
    const node = `test:${n}:${newId()}`
    return { actors: await startActors(url, { clock, clustered: { node } }), node }
  }
  const first = await open(0)
  const others = await Promise.all(Array.from({ length: NODES - 1 }, (_, n) => open(n + 1)))
  await untilSpread(url)
  return [first, ...others]
}
