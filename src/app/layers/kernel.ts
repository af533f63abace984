/** Base of all other layers: the database, signals, settings, telemetry. */
import { Layer } from "effect"
import { Egress } from "../../egress/egress.ts"
import { HttpSettings } from "../../http/requests/settings.ts"
import { HashCost, Passwords } from "../../identity/accounts/passwords.ts"
import { AnonymousBudgets } from "../../identity/callers/anonymous-budgets.ts"
import { ClientAddresses } from "../../identity/callers/client-addresses.ts"
import { Tokens } from "../../identity/tokens.ts"
import { Database } from "../../store/database.ts"
import { MediaSignal } from "../../store/media/media-signal.ts"
import { quietLayer } from "../../store/quiet/quiet.ts"
import { OutboxSignal } from "../../store/webhooks/outbox.ts"
import { Telemetry } from "../../telemetry/telemetry.ts"
import { appUrlOf, type Composition, quotaOf, wantsProvedAddresses } from "./composition.ts"

const passwordsOf = ({ parts: { hashCost } }: Composition) =>
  hashCost === undefined ? Passwords.layer : Passwords.layer.pipe(Layer.provide(Layer.succeed(HashCost, hashCost)))

const settingsOf = (composition: Composition): HttpSettings["Service"] => {
  const { config, node, publicUrl } = composition
  return {
    node,
    shown: config.shown,
    publicUrl,
    appUrl: appUrlOf(composition),
    trustsHost: !config.production,
    emailDevMode: !config.production,
    namesIgnored: !config.production,
    sendsMail: config.smtp !== null,
    provedSendersOnly: wantsProvedAddresses(config),
    mailPerWorkspacePerDay: config.mailPerWorkspacePerDay,
    mediaMaxBytes: config.mediaMaxBytes,
    mediaQuota: quotaOf(config),
    workspacesPerAccount: config.workspacesPerAccount,
    signup: config.signup,
    backup: config.backup,
    summarises: config.helpModel !== null,
    defaultCapacity: config.defaultCapacity,
    keptHistoryDays: config.keptHistoryDays,
  }
}

export const kernelOf = (composition: Composition) => {
  const { config, open, instance, certificates } = composition
  return Layer.mergeAll(
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
    passwordsOf(composition),
    ClientAddresses.layer(config.trustedProxies),
    AnonymousBudgets.layer(config.production, config.venues),
    Layer.succeed(HttpSettings, settingsOf(composition)),
  ).pipe(
    (all) => Layer.provideMerge(Layer.mergeAll(quietLayer(instance), certificates?.layer ?? Layer.empty), all),
    Layer.provideMerge(Telemetry.layer(config.logLevel, config.otlp)),
  )
}
