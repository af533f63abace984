/** The deployment as its operator sees it. */
import { Clock, Effect } from "effect"
import { LiveEvents } from "../../actors/live-events.ts"
import { CertificateWatch } from "../../certificates/certificates.ts"
import { StorageProbe } from "../../media/storage/storage-probe.ts"
import { type Timestamp, toTimestamp } from "../../model/timestamp.ts"
import { RELEASE } from "../../protocol/wire/release.ts"
import { readBackups } from "../../store/backups/backups.ts"
import { listNodes } from "../../store/cluster/nodes.ts"
import { Database, type Queryable } from "../../store/database.ts"
import { nameUses, readJobUse } from "../../store/media/use.ts"
import { countLiveEvents, listFailingEndpoints, listLiveEvents } from "../../store/platform/platform.ts"
import { countCopied, promote } from "../../store/quiet/promote.ts"
import { Quiet } from "../../store/quiet/quiet.ts"
import { readBacklog } from "../../store/webhooks/backlog.ts"
import { sumReports } from "../../telemetry/busiest.ts"
import { OtherLoads } from "../../telemetry/other-loads.ts"
import { Telemetry } from "../../telemetry/telemetry.ts"
import type { WorkspaceShares } from "../../telemetry/workspace-shares.ts"
import type { Platform } from "../contract/platform.ts"
import type { Handlers } from "../requests/call.ts"
import { HttpSettings } from "../requests/settings.ts"
import { readBusiest } from "./busiest.ts"
import { platformTrials } from "./platform-trials.ts"

const waiting = (count = 0, overdue = 0) => ({ count, overdueSeconds: Math.round(overdue) })

const backupOf = (at: Timestamp | null = null, bytes: number | null = null) => (at === null ? null : { at, bytes })

/** Number of top workspaces listed for each shared resource. */
const MOST = 5

const readShares = async (sql: Queryable, shares: WorkspaceShares) => {
  const places = (what: "uploads" | "encoders") =>
    new Map(shares.largest(what).map(({ workspaceId, amount }) => [workspaceId, amount]))
  const [uploads, encoders] = [places("uploads"), places("encoders")]
  const jobs = new Map((await readJobUse(sql, MOST)).map((use) => [use.workspaceId, use]))
  const stores = shares.largest("bytes").map(({ workspaceId }) => workspaceId)
  const ids = new Set([...uploads.keys(), ...encoders.keys(), ...jobs.keys(), ...stores])
  const named = await nameUses(sql, [...ids])
  const all = named.map(({ workspaceId, workspaceSlug, bytes }) => {
    const { waiting: jobsWaiting = 0, seconds = 0 } = jobs.get(workspaceId) ?? {}
    const [up, live] = [uploads.get(workspaceId) ?? 0, encoders.get(workspaceId) ?? 0]
    const jobSeconds = Math.round(seconds * 10) / 10
    return { workspaceId, workspaceSlug, uploads: up, encoders: live, jobsWaiting, jobSeconds, bytes }
  })
  return all.toSorted(
    (a, b) => b.uploads + b.encoders - a.uploads - a.encoders || b.jobSeconds - a.jobSeconds || b.bytes - a.bytes,
  )
}

const readAll = async (sql: Queryable, shares: WorkspaceShares) => ({
  shares: await readShares(sql, shares),
  total: await countLiveEvents(sql),
  newest: await listLiveEvents(sql),
  nodes: await listNodes(sql),
  backlog: await readBacklog(sql),
  failing: await listFailingEndpoints(sql),
})

export const platform = {
  getPlatformStatus: {
    access: "platform",
    handle: () =>
      Effect.gen(function* () {
        const { metrics, shares, busiest } = yield* Telemetry
        const now = yield* Clock.currentTimeMillis
        const { node, backup, shown } = yield* HttpSettings
        const database = yield* Database
        const found = yield* database.run((sql) => readAll(sql, shares))
        const others = yield* OtherLoads
        const { reports, missing } = yield* Effect.promise(others.read)
        const here = busiest.report(now, process.uptime(), Number.POSITIVE_INFINITY)
        const most = yield* database.run((sql) => readBusiest(sql, sumReports([here, ...reports])))
        const backups = yield* database.run((sql) => readBackups(sql, backup.everyHours))
        const quiet = (yield* Quiet).state()
        const certificate = (yield* CertificateWatch).state()
        return {
          release: RELEASE,
          at: toTimestamp(now),
          quiet: quiet && { ...quiet, copied: yield* database.run((sql) => countCopied(sql, quiet.since)) },
          certificate: certificate && {
            ...certificate,
            endsAt: certificate.endsAt === null ? null : toTimestamp(certificate.endsAt),
          },
          backups: {
            to: backup.to,
            last: backupOf(backups?.madeAt, backups?.madeBytes),
            // A copy makes no backups.
            nextAt: backup.to === null || quiet !== null ? null : (backups?.nextAt ?? toTimestamp(now)),
            failure:
              backups?.failedAt == null ? null : { at: backups.failedAt, problem: shown.mask(backups.failure ?? "") },
            folder: backupOf(backups?.folderAt, backups?.folderBytes),
          },
          process: {
            node,
            sockets: metrics.sockets.value(),
            liveEvents: metrics.actorsActive.value(),
            uptimeSeconds: Math.round(process.uptime()),
            memoryBytes: process.memoryUsage.rss(),
            mediaFreeBytes: (yield* StorageProbe).freeBytes(),
          },
          nodes: found.nodes.map(({ address, node: name, isLiving }) => ({ address, node: name, isLiving })),
          liveEvents: { total: found.total, newest: found.newest },
          backlog: {
            deliveries: waiting(found.backlog?.deliveries, found.backlog?.deliveriesOverdue),
            letters: waiting(found.backlog?.mails, found.backlog?.mailsOverdue),
            media: waiting(found.backlog?.media, found.backlog?.mediaOverdue),
          },
          shares: found.shares,
          busiest: { ...most, missing },
          failingWebhooks: found.failing.map(({ url, ...endpoint }) => ({ ...endpoint, origin: new URL(url).origin })),
        }
      }),
  },
  inspectEvent: {
    access: "platform",
    handle: ({ params }) => Effect.flatMap(LiveEvents, (live) => live.inspect(params.id)),
  },
  ...platformTrials,
  promotePlatform: {
    access: "platform",
    handle: ({ payload }) =>
      Effect.gen(function* () {
        return yield* (yield* Database).run((sql) => promote(sql, payload.discardWaiting === true))
      }),
  },
} satisfies Handlers<typeof Platform>
