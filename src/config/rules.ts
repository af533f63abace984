/** Rules across keys, and suspicious combinations of values. Each breach is one sentence that begins with a key. */
import type { Config as EffectConfig } from "effect"
import { Redacted } from "effect"
import { isTurnUrl } from "../model/media/ice-url.ts"
import type { KeyName } from "./keys.ts"
import { type Environment, misspelt, type Suspicion, weaknessOf } from "./mistakes.ts"
import type { SETTINGS } from "./schemas.ts"

/** Values by key. A key that is not set has its default, or null. */
export type Values = { readonly [N in KeyName]: EffectConfig.Success<(typeof SETTINGS)[N]> }

const MEDIA_KEYS = ["MEDIA_URL", "MEDIA_API_KEY", "MEDIA_API_SECRET"] as const
const S3_KEYS = ["S3_URL", "S3_ACCESS_KEY_ID", "S3_SECRET_ACCESS_KEY"] as const
const IDP_KEYS = ["IDP_ISSUER", "IDP_CLIENT_ID", "IDP_CLIENT_SECRET"] as const

/** Keys required by other keys. */
const missing = (
  values: Partial<Values>,
  keys: ReadonlyArray<KeyName>,
  isNeeded: (name: KeyName) => boolean,
): string[] => {
  const given = keys.find((name) => isNeeded(name) && values[name] != null)
  if (given === undefined) return []
  // A key with an unusable value has its own sentence.
  return keys.filter((name) => values[name] === null).map((name) => `${name} must be set beside ${given}.`)
}

const CLUSTER_KEYS = ["CLUSTER_ADDRESS", "DATABASE_URL", "PUBLIC_URL", "SECRET_KEY"] as const
const LINK_KEYS = ["CLUSTER_ADDRESS", "NATS_URL"] as const
const CLUSTER_SECRETS = ["CLUSTER_SECRET", "CLUSTER_SECRET_OTHER"] as const
const LOOPBACK_HOST = /^(?:localhost|127\.\d+\.\d+\.\d+|::1)$/

const isNatsHere = (urls: string): boolean =>
  urls.split(",").every((url) => LOOPBACK_HOST.test(new URL(url.trim()).hostname.replace(/^\[|\]$/g, "")))

const clusterProblems = (values: Partial<Values>, isWorker: boolean): ReadonlyArray<string> => {
  const { CLUSTER_ADDRESS: address, CLUSTER_SECRET: secret, NATS_URL: nats, NODE_ENV: mode } = values
  const isOpen = address != null && !LOOPBACK_HOST.test(address.host)
  return [
    ...missing(values, CLUSTER_KEYS, (name) => name === "CLUSTER_ADDRESS"),
    ...(isWorker ? [] : missing(values, LINK_KEYS, (name) => name === "CLUSTER_ADDRESS")),
    ...missing(values, CLUSTER_SECRETS, (name) => name === "CLUSTER_SECRET_OTHER"),
    ...(["NATS_URL", "CLUSTER_SECRET"] as const)
      .filter((name) => address === null && values[name] != null)
      .map((name) => `CLUSTER_ADDRESS must be set beside ${name}.`),
    ...(mode === "production" && isOpen && secret === null
      ? ["CLUSTER_SECRET must be set in production, unless CLUSTER_ADDRESS is on this machine."]
      : []),
    // A stranger who reaches that NATS could read what is said in private events, and impersonate their hosts.
    ...(nats != null && secret === null && !isNatsHere(Redacted.value(nats))
      ? ["CLUSTER_SECRET must be set, unless NATS_URL is on this machine."]
      : []),
  ]
}

/** A TURN server requires credentials, and the policy `relay` requires a TURN server. */
const relayProblems = ({
  ICE_SERVERS: urls,
  TURN_SECRET: secret,
  RTC_POLICY: policy,
}: Partial<Values>): ReadonlyArray<string> => {
  if (urls === undefined) return []
  const relays = urls.some(isTurnUrl)
  return [
    relays && secret === null && "TURN_SECRET must be set beside a TURN server in ICE_SERVERS.",
    !relays && secret != null && "ICE_SERVERS must name a TURN server beside TURN_SECRET.",
    !relays && policy === "relay" && "RTC_POLICY relay needs a TURN server (turn: or turns:) in ICE_SERVERS.",
  ].filter((problem) => problem !== false)
}

const BACKUP_S3_KEYS = ["BACKUP_S3_URL", "BACKUP_S3_ACCESS_KEY_ID", "BACKUP_S3_SECRET_ACCESS_KEY"] as const

/** A worker has the database of its supervisor. */
const backupProblems = (values: Partial<Values>, isWorker: boolean): ReadonlyArray<string> => {
  const { BACKUP_TO: to, DATABASE_URL: url, BACKUP_S3_URL: own, S3_URL: s3 } = values
  return [
    ...missing(values, BACKUP_S3_KEYS, () => true),
    ...(to != null && own === null && s3 === null ? ["BACKUP_S3_URL or S3_URL must be set beside BACKUP_TO."] : []),
    ...(to != null && url != null && !isWorker
      ? [
          "BACKUP_TO is for the embedded database; back up the one at DATABASE_URL with PostgreSQL's own tools (pg_dump, pg_basebackup and an archive of the log).",
        ]
      : []),
  ]
}

const hostOf = (url: string | null | undefined): string | null => (url == null ? null : new URL(url).hostname)

const acmeProblems = (values: Partial<Values>, isWorker: boolean): ReadonlyArray<string> => {
  const { ACME_DOMAINS: domains = [], PUBLIC_URL: publicUrl, ACME_TERMS: terms } = values
  if (domains.length === 0) return []
  const isNamed = publicUrl?.startsWith("https:") === true && domains.includes(hostOf(publicUrl) ?? "")
  const several = isWorker || (values.WORKERS ?? 1) > 1 || values.CLUSTER_ADDRESS != null
  return [
    terms === null && "ACME_TERMS must be set to agreed beside ACME_DOMAINS, once you have read the authority's terms.",
    publicUrl !== undefined && !isNamed && "PUBLIC_URL must be an https:// address whose name is one of ACME_DOMAINS.",
    several && "ACME_DOMAINS is for one process that runs alone; before WORKERS and nodes a proxy speaks TLS.",
    values.ACME_HTTP_PORT === values.PORT && "ACME_HTTP_PORT must be another port than PORT, which speaks TLS.",
  ].filter((problem) => problem !== false)
}

/** Default sender domain, from which other servers accept no email. */
const NOWHERE = "@localhost"

/** Rules across several keys. */
export const crossProblems = (values: Partial<Values>, isWorker: boolean): ReadonlyArray<string> => {
  const { PUBLIC_URL: publicUrl, ALLOW_LOOPBACK_TARGETS: loopback, SECRET_KEY: secretKey } = values
  const { SMTP_URL: smtp, MAIL_FROM: from, INSPECT: inspector } = values
  const inProduction = [
    loopback === true && "ALLOW_LOOPBACK_TARGETS is a development switch and must not be set in production.",
    inspector != null && "INSPECT is a development switch and must not be set in production.",
    publicUrl !== undefined &&
      !publicUrl?.startsWith("https:") &&
      "PUBLIC_URL must be an https:// address in production.",
    secretKey === null && "SECRET_KEY must be set in production.",
    smtp != null &&
      from?.includes(NOWHERE) === true &&
      "MAIL_FROM must be an address of yours beside SMTP_URL in production.",
  ].filter((problem) => problem !== false)
  return [
    ...(values.NODE_ENV === "production" ? inProduction : []),
    ...missing(values, MEDIA_KEYS, () => true),
    ...missing(values, S3_KEYS, () => true),
    ...missing(values, IDP_KEYS, (name) => name === "IDP_ISSUER"),
    ...backupProblems(values, isWorker),
    ...relayProblems(values),
    ...((values.MEDIA_PORT ?? 0) > 0 && values.MEDIA_URL != null
      ? ["MEDIA_PORT must be 0 beside MEDIA_URL: rooms are on one media server."]
      : []),
    ...acmeProblems(values, isWorker),
    ...clusterProblems(values, isWorker),
  ]
}

/** This server's own secrets. Older ones must be readable, however weak. */
const SECRETS = ["SECRET_KEY", "CLUSTER_SECRET", "PLATFORM_KEY", "METRICS_TOKEN"] as const
/** Probable mistakes in the environment. Production refuses the grave ones. */
export const suspicions = (env: Environment, values: Partial<Values>): ReadonlyArray<Suspicion> => [
  ...SECRETS.flatMap((name) => {
    const secret = values[name]
    const weakness = secret == null ? undefined : weaknessOf(Redacted.value(secret))
    return weakness === undefined ? [] : [{ sentence: `${name} ${weakness}.`, isGrave: true }]
  }),
  ...misspelt(env),
]
