/**
 * The composition root: configuration to layers to a listening socket, and back in reverse order. The only file that imports
 * all parts. Start: listen (and report it), database, process lock, schema, actors, dispatcher, routes; a server behind a proxy
 * listens last. Stop: no new connections, sockets asked to reconnect, requests and deliveries in flight finished, actors stopped,
 * lock and database released.
 */

import type { TemplatedApp, us_listen_socket } from "uWebSockets.js"
import { randomBytes } from "node:crypto"
import { hostname } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import type { Recorder } from "./actors/domain/turn.ts"
import { Feed } from "./actors/feed.ts"
import { Ownership } from "./actors/ownership/ownership.ts"
import { liveEventsLayer, oneProcess } from "./actors/placement.ts"
import { Certificates } from "./certificates/certificates.ts"
import { httpPort } from "./certificates/http-port.ts"
import { broadcastOwnersLayer } from "./cluster/broadcast-owners.ts"
import type { NodeOptions } from "./cluster/node-layers.ts"
import { type Config, inheritedEnvironment } from "./config/config.ts"
import { descriptionsOf } from "./descriptions.ts"
import { Egress } from "./egress/egress.ts"
import { App as createApp, secureApp, us_listen_socket_close, us_socket_local_port } from "./engine.ts"
import { DeletedWorkspaces } from "./erasure/deleted-workspaces.ts"
import { Erasures } from "./erasure/erasures.ts"
import { bindGateway } from "./gateway/gateway.ts"
import { GATEWAY_DEFAULTS, type GatewayOptions } from "./gateway/options.ts"
import { HelpDesk } from "./help/help-desk.ts"
import { summariseBy } from "./help/summarise.ts"
import { clientRoutes } from "./http/description/client-files.ts"
import { docsRoutes } from "./http/description/docs-files.ts"
import { domainProofsLayer } from "./http/handlers/workspaces/domain-proofs.ts"
import { type ClusterLimits, RateLimits } from "./http/limits/rate-limits.ts"
import { webRoutes } from "./http/pages/web-files.ts"
import { Idempotency } from "./http/requests/idempotency.ts"
import { HttpSettings } from "./http/requests/settings.ts"
import { bindRest } from "./http/rest.ts"
import { Problems } from "./http/transport/problem.ts"
import { answerEverything } from "./http/transport/uws-http.ts"
import { AccountSessions } from "./identity/accounts/account-sessions.ts"
import { entryLinkOf, issueEntryToken } from "./identity/accounts/entry.ts"
import { IdentityProvider } from "./identity/accounts/identity-provider.ts"
import { Passkeys } from "./identity/accounts/passkeys.ts"
import { HashCost, Passwords } from "./identity/accounts/passwords.ts"
import { SecondFactors } from "./identity/accounts/second-factors.ts"
import { ApiKeys } from "./identity/api-keys.ts"
import { AnonymousBudgets } from "./identity/callers/anonymous-budgets.ts"
import { Authenticator } from "./identity/callers/authenticate.ts"
import { ClientAddresses } from "./identity/callers/client-addresses.ts"
import { Connections } from "./identity/connections/connections.ts"
import { GrantChanges } from "./identity/grant-changes.ts"
import { BearerLinks } from "./identity/links/bearer-links.ts"
import { PartnerKeys } from "./identity/partners/partner-keys.ts"
import { PartnerTokens } from "./identity/partners/partner-tokens.ts"
import { Tokens } from "./identity/tokens.ts"
import { disabledWebhooksLayer } from "./mail/disabled-webhooks.ts"
import { LetterRefusals } from "./mail/letter-refusals.ts"
import { Mailer } from "./mail/mailer.ts"
import { remindersLayer } from "./mail/reminders.ts"
import { findFfmpeg } from "./media/derivations/ffmpeg.ts"
import { mediaJobsLayer } from "./media/jobs/media-jobs.ts"
import { MediaLinks, mediaLinksOf } from "./media/links.ts"
import { type AddressGiven, playbackUrlBy } from "./media/live/addresses.ts"
import { LIVE_PLAYLIST, STAGE_PLAYLIST } from "./media/live/live-settings.ts"
import { MediaServerApi, mediaServerApiOf, untouchedWhile } from "./media/livekit/media-server-api.ts"
import { RoomRecorder, roomRecorderOf } from "./media/livekit/room-recorder.ts"
import { ServerMessages, serverMessagesOf } from "./media/livekit/server-messages.ts"
import { LiveBroadcasts } from "./media/placed/live-broadcasts.ts"
import { MediaProcessor, type MediaProcessorOptions } from "./media/processing/media-processor.ts"
import { Media } from "./media/seats.ts"
import { diskStorageLayer } from "./media/storage/disk-storage.ts"
import { s3StorageLayer } from "./media/storage/s3/s3-storage.ts"
import { StorageProbe } from "./media/storage/storage-probe.ts"
import { Unavailable } from "./model/errors.ts"
import { listenUrl } from "./model/listen-url.ts"
import { RETURN_WITHIN_MS } from "./model/live/holdings.ts"
import { RELEASE } from "./protocol/wire/release.ts"
import { deriveKeyRing, type KeyRing } from "./secret-key.ts"
import { idleAccountsSweepLayer } from "./store/accounts/idle-accounts.ts"
import { scheduledBackupsLayer } from "./store/backups/scheduled-backups.ts"
import { Database } from "./store/database.ts"
import { Agendas } from "./store/events/agendas.ts"
import { NewEvents } from "./store/events/new-events.ts"
import { DatabaseHeartbeat } from "./store/heartbeat.ts"
import { giveBackTokens, takeTokens } from "./store/limits/shared-buckets.ts"
import { MediaSignal } from "./store/media/media-signal.ts"
import { mediaUseLayer } from "./store/media/use-watch.ts"
import { type OpenDatabase, openDatabase, usable } from "./store/open-database.ts"
import { type Instance, recogniseInstance } from "./store/quiet/instance.ts"
import { Quiet, quietLayer } from "./store/quiet/quiet.ts"
import {
  CONNECTIONS_PURPOSE,
  FACTORS_PURPOSE,
  type KeptKeys,
  openKeptKeys,
  SECRETS_PURPOSE,
} from "./store/sealing/sealing-keys.ts"
import { historySweepLayer } from "./store/sweeps/history-sweep.ts"
import { retentionSweepLayer } from "./store/sweeps/retention-sweep.ts"
import { backlogLayer } from "./store/webhooks/backlog.ts"
import { OutboxSignal } from "./store/webhooks/outbox.ts"
import { WebhookRegistration } from "./store/webhooks/webhook-registration.ts"
import { Telemetry } from "./telemetry/telemetry.ts"
import { dispatcherLayer } from "./webhooks/dispatcher.ts"

/** A start that cannot go on; the message is one sentence for the operator. */
class StartRefused extends Error {
  override readonly name = "StartRefused"
}

export interface RunningServer {
  /** Base address, such as `http://127.0.0.1:8080`. */
  readonly url: string
  readonly publicUrl: string
  /** In a few words, for the operator. */
  readonly database: string
  /** Stops in order, within ten seconds after `drainDelayMs` even if a part hangs; idempotent. */
  readonly stop: () => Promise<void>
  /** For a stop that is too slow even so: leaves no database process behind. */
  readonly abandon: () => void
  /** Resolves with a sentence when the database has ended for good. */
  readonly failed: Promise<string>
}

/** Time for sockets to reconnect elsewhere, and for requests in flight to finish. Together below the 10 s of a stop. */
const DRAIN_SOCKETS_MS = 2000
const DRAIN_DELIVERIES_MS = 2000
const DRAIN_REQUESTS_MS = 2500
/** A stop is done by then; each part gets the time that the parts before it left. The sum is more, if all of them hang. */
const STOP_WITHIN_MS = 9000
const LAYERS_WITHIN_MS = 4000
/** For an immediate shutdown of the embedded database, after its fast one did not work out. */
const RESERVE_MS = 1000
/** For one task of the process for media, and its memory. */
const INSPECT_WITHIN_MS = 120_000
const INSPECT_MARGIN_MS = 30_000
const INSPECT_BYTES = 1024 ** 3
/** A small file that is made to be read without end must not hold up those behind it. Ten megabytes a second is a slow disk. */
const SMALL_FILE_WITHIN_MS = 15_000
const INSPECTED_BYTES_PER_MS = 10_000

const mediaWithinMs = (sizeBytes: number | null): number =>
  sizeBytes === null
    ? INSPECT_WITHIN_MS
    : Math.min(INSPECT_WITHIN_MS, SMALL_FILE_WITHIN_MS + sizeBytes / INSPECTED_BYTES_PER_MS)
/** An event that is neither live nor watched leaves memory after this long. */
const ACTOR_IDLE_MS = 300_000

const recorderOf = ({ media, s3, recordsElsewhere, ingest }: Config): Recorder => {
  if (recordsElsewhere) return "events"
  // The media server puts its files into a bucket.
  if (media !== null && s3 !== null) return "rooms"
  return ingest === null ? null : "broadcasts"
}

const addressesOf = (
  { stage, ingest, cdnUrl }: Config,
  publicUrl: string,
  links: MediaLinks["Service"],
): AddressGiven | null => {
  const given = { watchUrl: cdnUrl ?? publicUrl, links }
  if (stage !== null) return { ...given, maxHours: stage.maxHours, playlist: STAGE_PLAYLIST }
  return ingest === null ? null : { ...given, maxHours: ingest.maxHours, playlist: LIVE_PLAYLIST }
}

/** Parts that tests choose otherwise. */
interface Parts {
  /** The process for media. Tests run from sources and name a compiled module. */
  readonly mediaEntry: MediaProcessorOptions["entry"]
  readonly hashCost?: HashCost
  /** The client for pages, built. Tests that run from sources name a build of their own. */
  readonly clientFiles: URL
  /** The documentation, built; as above. */
  readonly docsFiles: URL
  /** The pages for people. */
  readonly webFiles: URL
  /** The descriptions of REST and of the gateway; without a build they are made when they are asked for. */
  readonly descriptions: URL
  /** Tests beside a media server leave moved participants more time. */
  readonly gateway?: Pick<GatewayOptions, "moveMs">
}

const PARTS: Parts = {
  mediaEntry: {
    module: fileURLToPath(new URL("media/processing/media-process.js", import.meta.url)),
    args: [],
  },
  clientFiles: new URL("client-files/", import.meta.url),
  docsFiles: new URL("docs-files/", import.meta.url),
  webFiles: new URL("web-files/", import.meta.url),
  descriptions: new URL("description-files/", import.meta.url),
}

/** Where live events run, how what happens in them reaches the gateways, and how gateways learn of changed grants. */
const placementOf = ({ cluster }: Config, open: OpenDatabase, node: string, link: string | null) =>
  cluster === null || open.node === null
    ? Layer.mergeAll(
        oneProcess({ idleMs: ACTOR_IDLE_MS, simulateNetwork: false }),
        Layer.succeed(Ownership, Ownership.alone(node, open.lock.held)),
        Feed.layerMemory,
        GrantChanges.layer,
      )
    : nodesOf({ ...cluster, address: cluster, session: open.node, node, link, idleMs: ACTOR_IDLE_MS })

/** A server that runs alone loads neither the client of NATS nor the sockets between nodes. */
const nodesOf = (options: NodeOptions) =>
  Layer.unwrap(Effect.promise(async () => (await import("./cluster/node-layers.ts")).nodeLayers(options)))

/** Limits that all nodes count together, and those of which each node gives its share. */
const clusterRateLimits = ({ production, venues }: Config): Layer.Layer<RateLimits, never, Database | Ownership> =>
  Layer.unwrap(
    Effect.gen(function* () {
      const database = yield* Database
      const { nodes } = yield* Ownership
      const cluster: ClusterLimits = {
        nodes,
        take: (buckets) => database.run((sql) => takeTokens(sql, buckets)),
        giveBack: (buckets) => database.run((sql) => giveBackTokens(sql, buckets)),
      }
      return RateLimits.layer(production, cluster, venues)
    }),
  )

const backupsOf = ({ to, everyHours }: Config["backup"]): Layer.Layer<never, never, Database | Telemetry> =>
  to === null
    ? Layer.empty
    : scheduledBackupsLayer({ everyHours, module: process.argv[1] ?? "", environment: inheritedEnvironment() })

const layersOf = (
  config: Config,
  open: OpenDatabase,
  node: string,
  publicUrl: string,
  kept: KeptKeys,
  instance: Instance,
  certificates: Certificates | null,
  { mediaEntry, hashCost }: Parts,
) => {
  const keysOf = (purpose: string): KeyRing => deriveKeyRing(config.secretKeys, purpose)
  const links = mediaLinksOf(keysOf("media-links"))
  // Without mail no address can be proved.
  const provedOnly = config.production && config.smtp !== null
  const quota = {
    ofWorkspace: config.mediaQuotaBytes,
    ofFounder: config.mediaQuotaPerFounderBytes,
    provedOnly,
  }
  const kernel = Layer.mergeAll(
    Database.layer({
      url: open.url,
      connections: config.databasePool,
      waiting: config.databaseWaiting,
      deadlineMs: config.databaseDeadlineMs,
    }),
    OutboxSignal.layer,
    MediaSignal.layer,
    Egress.layer({ allowLoopback: config.allowLoopbackTargets }),
    Tokens.layer(config.secretKeys),
    hashCost === undefined ? Passwords.layer : Passwords.layer.pipe(Layer.provide(Layer.succeed(HashCost, hashCost))),
    ClientAddresses.layer(config.trustedProxies),
    AnonymousBudgets.layer(config.production, config.venues),
    Layer.succeed(HttpSettings, {
      node,
      shown: config.shown,
      publicUrl,
      appUrl: config.appUrl ?? publicUrl,
      trustsHost: !config.production,
      emailDevMode: !config.production,
      namesIgnored: !config.production,
      sendsMail: config.smtp !== null,
      provedSendersOnly: provedOnly,
      mailPerWorkspacePerDay: config.mailPerWorkspacePerDay,
      mediaMaxBytes: config.mediaMaxBytes,
      mediaQuota: quota,
      workspacesPerAccount: config.workspacesPerAccount,
      signup: config.signup,
      backup: config.backup,
      summarises: config.helpModel !== null,
      defaultCapacity: config.defaultCapacity,
    }),
  ).pipe(
    (all) => Layer.provideMerge(Layer.mergeAll(quietLayer(instance), certificates?.layer ?? Layer.empty), all),
    Layer.provideMerge(Telemetry.layer(config.logLevel, config.otlp)),
  )
  const placement = placementOf(config, open, node, instance.link)
  const identity = Authenticator.layer(config.platformKey).pipe(
    Layer.provideMerge(Layer.mergeAll(AccountSessions.layer, ApiKeys.layer(config.cluster === null))),
  )
  const actors = liveEventsLayer({
    mailbox: config.actorMailbox,
    pseudonymKey: kept.pseudonyms,
    presenceGraceMs: config.presenceGraceMs,
    connectionsPerParticipant: GATEWAY_DEFAULTS.connectionsPerParticipant,
    // A node that stops, or is lost, is known to be gone by then.
    replaceAfterMs: (config.cluster?.lostMs ?? 0) + STOP_WITHIN_MS,
    returnWithinMs: RETURN_WITHIN_MS,
    idleMs: ACTOR_IDLE_MS,
    answers: config.answers,
    playbackUrlOf: playbackUrlBy(config.playbackUrlTemplate, addressesOf(config, publicUrl, links)),
    recorder: recorderOf(config),
    hasStageBroadcasts: config.stage !== null,
    inspector: config.inspector,
  }).pipe(Layer.provideMerge(placement))
  const alone = config.cluster === null
  const limits = alone
    ? RateLimits.layer(config.production, null, config.venues)
    : clusterRateLimits(config).pipe(Layer.provide(placement))
  const dispatcher = dispatcherLayer({
    sealingKeys: keysOf(SECRETS_PURPOSE),
    retryDelaysMs: config.webhookRetryDelaysMs,
    concurrency: config.webhookConcurrency,
    alone,
    drainMs: DRAIN_DELIVERIES_MS,
  })
  const mailer = Mailer.layer({
    sealingKeys: keysOf("mails"),
    smtp: config.smtp,
    keep: !config.production,
  })
  const refusals = LetterRefusals.layer(keysOf("letter-refusals"), kept.letterRefusals)
  const recorder =
    config.media === null || config.s3 === null
      ? Layer.empty
      : Layer.effect(RoomRecorder, roomRecorderOf(config.media, config.s3))
  const connections = Connections.layer({
    publicUrl,
    provesDomains: config.production,
    tripKeys: keysOf("sso-round-trips"),
    secretKeys: keysOf(CONNECTIONS_PURPOSE),
  })
  const disk = { folder: join(config.dataDir, "media"), minFreeBytes: config.mediaMinFreeBytes }
  const mediaBytes = Layer.mergeAll(
    config.s3 === null ? diskStorageLayer(disk) : s3StorageLayer({ disk, growsInBucket: !alone }, config.s3),
    MediaProcessor.layer({ entry: mediaEntry, withinMs: mediaWithinMs, maxResidentBytes: INSPECT_BYTES }),
  )
  return Layer.mergeAll(
    identity,
    mediaJobsLayer({
      alone,
      leaseMs: INSPECT_WITHIN_MS + INSPECT_MARGIN_MS,
      retentionDays: config.mediaRetentionDays,
      quota,
      ffmpeg: findFfmpeg(config.ffmpeg.path, config.ffmpeg.searchPath),
      summarise: config.helpModel && summariseBy(config.helpModel),
    }).pipe(
      Layer.provideMerge(
        LiveBroadcasts.layer(
          {
            ingest: config.ingest,
            followsStage: config.stage !== null,
            quota,
          },
          alone ? undefined : broadcastOwnersLayer.pipe(Layer.provide(placement)),
        ),
      ),
      Layer.provideMerge(StorageProbe.layer),
      Layer.provideMerge(mediaBytes),
      Layer.provideMerge(recorder),
    ),
    actors,
    dispatcher,
    mailer,
    Agendas.layer,
    NewEvents.layer,
    refusals,
    disabledWebhooksLayer(`${config.appUrl ?? publicUrl}/host`).pipe(Layer.provide(mailer)),
    // Where no letter is ever sent, nobody is reminded.
    config.smtp === null && config.production
      ? Layer.empty
      : remindersLayer({
          publicUrl,
          entryLink: async (sql, eventId, registrationId) =>
            entryLinkOf(config.appUrl ?? publicUrl, eventId, await issueEntryToken(sql, registrationId)),
        }).pipe(Layer.provide([mailer, refusals])),
    Layer.succeed(MediaLinks, links),
    BearerLinks.layer().pipe(Layer.provide(placement)),
    Layer.mergeAll(Erasures.layer, DeletedWorkspaces.layer).pipe(Layer.provide(actors)),
    IdentityProvider.layer({
      settings: config.idp,
      redirectUri: `${publicUrl}/v1/auth/idp/callback`,
      sealingKeys: keysOf("idp-round-trips"),
    }),
    Passkeys.layer(publicUrl),
    connections,
    SecondFactors.layer(keysOf(FACTORS_PURPOSE)),
    HelpDesk.layer(config.helpModel),
    Media.layer(config.media, keysOf("media-seats")),
    config.media === null
      ? Layer.empty
      : Layer.mergeAll(
          Layer.effect(
            MediaServerApi,
            Effect.zipWith(mediaServerApiOf(config.media), Quiet, (api, { isQuiet }) => untouchedWhile(isQuiet, api)),
          ),
          Layer.effect(ServerMessages, serverMessagesOf(config.media)),
        ),
    WebhookRegistration.layer(keysOf(SECRETS_PURPOSE)),
    limits,
    PartnerTokens.layer.pipe(Layer.provide(PartnerKeys.layer)),
    Idempotency.layer(keysOf("kept-answers")).pipe(Layer.provide(mailer)),
    historySweepLayer(config.gatewayHistoryMs),
    DatabaseHeartbeat.layer,
    backlogLayer,
    mediaUseLayer,
    retentionSweepLayer,
    domainProofsLayer.pipe(Layer.provide([connections, mailer])),
    config.smtp === null ? Layer.empty : idleAccountsSweepLayer,
    backupsOf(config.backup),
  ).pipe(Layer.provideMerge(kernel))
}

/** Waits with a limit: a part that hangs must not keep the rest from stopping. */
const atMost = async (ms: number, done: Promise<void>): Promise<void> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([done, late])
  clearTimeout(timer)
}

/** Connections that were taken last have brought their requests by then; a proxy that gets no answer cannot repeat them. */
const FIRST_BYTES_MS = 100

/** A turn of the loop that is so short has taken what there was to take, and little can have come since. */
const QUIET_TURN_MS = 0.2
/** The wait ends after so many turns, on a machine that has no short ones. */
const MOST_TURNS = 500

/**
 * Connections that the kernel has completed and this process has not taken are reset when the port closes, and a proxy cannot repeat
 * their requests. Each turn of the loop takes those that wait; the port is closed at the end of a turn that did nothing else.
 */
const untilAllAreTaken = async (): Promise<void> => {
  let endedAt = performance.now()
  for (let turn = 0; turn < MOST_TURNS; turn++) {
    await new Promise(setImmediate)
    const now = performance.now()
    if (turn > 0 && now - endedAt < QUIET_TURN_MS) return
    endedAt = now
  }
}

const LOOPBACK = "127.0.0.1"
const EXCLUSIVE_PORT = 1
const SHARED_PORT = 0

/**
 * By default the engine shares a port with the process that has it already, which workers want and nobody else. Its types know
 * the option only without a host; the engine takes both.
 */
const listenOn = (
  app: TemplatedApp,
  host: string,
  port: number,
  sharing: typeof EXCLUSIVE_PORT | typeof SHARED_PORT,
): us_listen_socket => {
  let listening: us_listen_socket | false = false
  const listen = app.listen as unknown as (
    host: string,
    port: number,
    options: number,
    then: (socket: us_listen_socket | false) => void,
  ) => void
  listen.call(app, host, port, sharing, (socket) => {
    listening = socket
  })
  if (listening === false) {
    throw new StartRefused(
      `Port ${port} on ${host} cannot be listened on; is another server using it, or is the address not one of this machine?`,
    )
  }
  return listening
}

/** The answer to all requests until the routes are bound: clients try again, and load balancers use other servers. */
const startingAnswer = (publicUrl: string) =>
  new Problems(`${publicUrl}/v1/errors`).of(
    new Unavailable({ detail: "The server is starting.", retryAfterSeconds: 1 }),
  )

/** `front` is the app that listens on the port of clients. */
const appOf = ({ acme, dataDir }: Config) => {
  if (acme === null) {
    const app = createApp({})
    return { app, front: app, scheme: "http", certificates: null }
  }
  const { app, front, use } = secureApp()
  return { app, front, scheme: "https", certificates: new Certificates(acme, dataDir, use) }
}

/** Returns what undoes it. */
const openHttpPort = (
  { acme, host }: Config,
  certificates: Certificates | null,
  publicUrl: string,
  sockets: us_listen_socket[],
): ReadonlyArray<() => void> => {
  if (acme === null || certificates === null) return []
  const plain = httpPort(certificates, publicUrl)
  sockets.push(listenOn(plain, host, acme.httpPort, EXCLUSIVE_PORT))
  return [() => void plain.close()]
}

/** Starts everything; rejects with `StartRefused`, `ConfigInvalid`, or a refusal of the database. */
export const startServer = async (
  config: Config,
  say: (line: string) => void,
  parts: Partial<Parts> = {},
): Promise<RunningServer> => {
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
  // Until this process can answer, other workers and nodes take the requests, or a proxy holds them; clients themselves get 503.
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
    const layers = layersOf(config, open, node, publicUrl, kept, instance, certificates, { ...PARTS, ...parts })
    const runtime = ManagedRuntime.make(layers)
    undo.push(() => atMost(LAYERS_WITHIN_MS, runtime.dispose()))
    const info = { version: RELEASE, node: process.version }
    await runtime.runPromise(Effect.map(Telemetry, ({ metrics }) => metrics.buildInfo(info)))
    let isStopping = false
    const rest = await runtime.runPromise(
      bindRest(app, {
        metricsToken: config.metricsToken,
        securityContact: config.securityContact,
        accessLog: config.accessLog,
        production: config.production,
        deadlineMs: config.answers.requestMs,
        uploads: config.mediaUploads,
        descriptions: descriptionsOf(parts.descriptions ?? PARTS.descriptions, publicUrl),
        isStopping: () => isStopping,
        files: [
          ...clientRoutes(parts.clientFiles ?? PARTS.clientFiles),
          ...docsRoutes(parts.docsFiles ?? PARTS.docsFiles, publicUrl),
          ...(config.web === null
            ? []
            : webRoutes(parts.webFiles ?? PARTS.webFiles, {
                ...config.web,
                publicUrl,
                mediaUrl: config.media?.url ?? null,
                production: config.production,
              })),
        ],
        obstacle: () => {
          if (isStopping) return "The server is stopping."
          if (open.lock.held()) return null
          return open.node === null
            ? "Another server has taken over the database, or the lock on it is lost."
            : "The node's session on the database is lost."
        },
      }),
    )
    const gateway = await runtime.runPromise(
      bindGateway(app, {
        node,
        historyMs: config.gatewayHistoryMs,
        historyEntries: config.gatewayHistoryEntries,
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
    const drainRequests = async (): Promise<void> => {
      await new Promise((resolve) => setTimeout(resolve, FIRST_BYTES_MS))
      await rest.drained(DRAIN_REQUESTS_MS)
    }
    let stopping: Promise<void> | undefined
    const stop = async (): Promise<void> => {
      isStopping = true
      // Load balancers see `/readyz` and send no more; until then connections are taken.
      await new Promise((resolve) => setTimeout(resolve, config.drainDelayMs))
      stopBy = Date.now() + STOP_WITHIN_MS
      await untilAllAreTaken()
      stopAccepting()
      const reason = config.cluster === null ? "drain" : "moved"
      await Promise.all([gateway.drain(DRAIN_SOCKETS_MS, reason), drainRequests()])
      await unwind()
      app.close()
    }
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
