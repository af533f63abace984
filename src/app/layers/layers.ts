/** All layers of a server. A layer needed by several others is built once and shared. */
import { Layer } from "effect"
import { type Config, inheritedEnvironment } from "../../config/config.ts"
import { DeletedWorkspaces } from "../../erasure/deleted-workspaces.ts"
import { Erasures } from "../../erasure/erasures.ts"
import { GatewayDoor } from "../../gateway/requests/door.ts"
import { HelpDesk } from "../../help/help-desk.ts"
import { domainProofsLayer } from "../../http/handlers/workspaces/domain-proofs.ts"
import { Idempotency } from "../../http/requests/idempotency.ts"
import { LongPolls } from "../../http/requests/long-polls.ts"
import { idleAccountsSweepLayer } from "../../store/accounts/idle-accounts.ts"
import { scheduledBackupsLayer } from "../../store/backups/scheduled-backups.ts"
import type { Database } from "../../store/database.ts"
import { Agendas } from "../../store/events/agendas.ts"
import { NewEvents } from "../../store/events/new-events.ts"
import { DatabaseHeartbeat } from "../../store/heartbeat.ts"
import { mediaUseLayer } from "../../store/media/use-watch.ts"
import { SECRETS_PURPOSE } from "../../store/sealing/sealing-keys.ts"
import { historySweepLayer } from "../../store/sweeps/history-sweep.ts"
import { retentionSweepLayer } from "../../store/sweeps/retention-sweep.ts"
import { backlogLayer } from "../../store/webhooks/backlog.ts"
import { WebhookRegistration } from "../../store/webhooks/webhook-registration.ts"
import { AuditLog } from "../../store/workspaces/audit-log.ts"
import type { Telemetry } from "../../telemetry/telemetry.ts"
import { dispatcherLayer } from "../../webhooks/dispatcher.ts"
import { DRAIN_DELIVERIES_MS } from "../deadlines.ts"
import { type Composition, keysOf } from "./composition.ts"
import { connectionsOf, identityLayer } from "./identity.ts"
import { kernelOf } from "./kernel.ts"
import { actorsOf, mediaPortOf, placementOf, rateLimitsOf } from "./live.ts"
import { mailerOf, mailOf } from "./mail.ts"
import { mediaOf } from "./media.ts"

const backupsOf = ({ to, everyHours }: Config["backup"]): Layer.Layer<never, never, Database | Telemetry> =>
  to === null
    ? Layer.empty
    : scheduledBackupsLayer({ everyHours, module: process.argv[1] ?? "", environment: inheritedEnvironment() })

export const layersOf = (composition: Composition) => {
  const { config } = composition
  const placement = placementOf(composition)
  const mediaPort = mediaPortOf(composition)
  const actors = actorsOf(composition, mediaPort).pipe(Layer.provideMerge(placement))
  const mailer = mailerOf(composition)
  const connections = connectionsOf(composition)
  const dispatcher = dispatcherLayer({
    sealingKeys: keysOf(composition, SECRETS_PURPOSE),
    retryDelaysMs: config.webhookRetryDelaysMs,
    concurrency: config.webhookConcurrency,
    alone: config.cluster === null,
    drainMs: DRAIN_DELIVERIES_MS,
  })
  return Layer.mergeAll(
    identityLayer(composition, placement),
    mediaOf(composition, placement),
    mediaPort,
    actors,
    dispatcher,
    mailOf(composition, mailer),
    connections,
    Agendas.layer,
    NewEvents.layer,
    AuditLog.layer,
    LongPolls.layer,
    Layer.mergeAll(Erasures.layer, DeletedWorkspaces.layer).pipe(Layer.provide(actors)),
    HelpDesk.layer(config.helpModel),
    WebhookRegistration.layer(keysOf(composition, SECRETS_PURPOSE)),
    rateLimitsOf(config, placement),
    Idempotency.layer(keysOf(composition, "kept-answers")).pipe(Layer.provide(mailer)),
    historySweepLayer(config.gatewayHistoryMs, config.keptHistoryDays),
    DatabaseHeartbeat.layer,
    GatewayDoor.layer,
    backlogLayer,
    mediaUseLayer,
    retentionSweepLayer,
    domainProofsLayer.pipe(Layer.provide([connections, mailer])),
    config.smtp === null ? Layer.empty : idleAccountsSweepLayer,
    backupsOf(config.backup),
  ).pipe(Layer.provideMerge(kernelOf(composition)))
}
