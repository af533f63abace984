/** The deployment as its operator sees it. */
import { Clock, Effect } from "effect"
import { toTimestamp } from "../../model/timestamp.ts"
import { RELEASE } from "../../protocol/wire/release.ts"
import { listNodes } from "../../store/cluster/nodes.ts"
import { Database, type Queryable } from "../../store/database.ts"
import { countLiveEvents, listFailingEndpoints, listLiveEvents } from "../../store/platform.ts"
import { readBacklog } from "../../store/webhooks/backlog.ts"
import { Telemetry } from "../../telemetry/telemetry.ts"
import type { Platform } from "../contract/platform.ts"
import type { Handlers } from "../requests/call.ts"
import { HttpSettings } from "../requests/settings.ts"

const waiting = (count = 0, age = 0) => ({ count, ageSeconds: Math.round(age) })

const readAll = async (sql: Queryable) => ({
  total: await countLiveEvents(sql),
  newest: await listLiveEvents(sql),
  nodes: await listNodes(sql),
  backlog: await readBacklog(sql),
  failing: await listFailingEndpoints(sql),
})

export const platform: Handlers<typeof Platform> = {
  getPlatformStatus: {
    access: "platform",
    handle: () =>
      Effect.gen(function* () {
        const { metrics } = yield* Telemetry
        const { node } = yield* HttpSettings
        const found = yield* (yield* Database).run(readAll)
        return {
          release: RELEASE,
          at: toTimestamp(yield* Clock.currentTimeMillis),
          process: {
            node,
            sockets: metrics.sockets.value(),
            liveEvents: metrics.actorsActive.value(),
            uptimeSeconds: Math.round(process.uptime()),
            memoryBytes: process.memoryUsage.rss(),
          },
          nodes: found.nodes.map(({ address, node: name, isLiving }) => ({ address, node: name, isLiving })),
          liveEvents: { total: found.total, newest: found.newest },
          backlog: {
            deliveries: waiting(found.backlog?.deliveries, found.backlog?.deliveriesAge),
            letters: waiting(found.backlog?.mails, found.backlog?.mailsAge),
            media: waiting(found.backlog?.media, found.backlog?.mediaAge),
          },
          failingWebhooks: found.failing.map(({ url, ...endpoint }) => ({ ...endpoint, origin: new URL(url).origin })),
        }
      }),
  },
}
