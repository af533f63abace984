/** Every environment key with its default and meaning. The configuration pages and the startup print derive from these rows. */
import type { Key } from "./key.ts"
import { MEDIA_KEYS } from "./media-keys.ts"

/** All environment keys, in the order of the help. */
export const CONFIG_KEYS = [
  {
    name: "NODE_ENV",
    fallback: "development",
    doc: "`production` is strict: it wants its own `SECRET_KEY`, an https `PUBLIC_URL`, and refuses development switches.",
  },
  { name: "HOST", fallback: "127.0.0.1", doc: "Address to listen on." },
  { name: "PORT", fallback: "8080", doc: "Port of the REST API and the gateway; 0 picks a free one." },
  {
    name: "PUBLIC_URL",
    fallback: "http://HOST:PORT",
    doc: "Base address that clients use, without a path; decides cookie names and the URLs in answers.",
  },
  {
    name: "ACME_DOMAINS",
    fallback: "unset",
    doc: "Names for which this server gets and renews a certificate by itself (ACME, challenge HTTP-01), comma separated, that of `PUBLIC_URL` among them. It then speaks TLS on `PORT`, and answers challenges and redirects on `ACME_HTTP_PORT`. For one process without `WORKERS` and nodes; without it a proxy speaks TLS.",
  },
  {
    name: "ACME_TERMS",
    fallback: "unset",
    doc: "`agreed`: you agree to the terms of the authority; must be set beside `ACME_DOMAINS`.",
  },
  { name: "ACME_EMAIL", fallback: "unset", doc: "An address to which the authority may write." },
  {
    name: "ACME_DIRECTORY",
    fallback: "https://acme-v02.api.letsencrypt.org/directory",
    doc: "Directory of the authority; by default Let's Encrypt.",
  },
  { name: "ACME_HTTP_PORT", fallback: "80", doc: "The port for challenges, which the authority reaches as port 80." },
  {
    name: "APP_URL",
    fallback: "PUBLIC_URL",
    doc: "Where links in emails lead; by default the pages this server has for them.",
  },
  {
    name: "SMTP_URL",
    fallback: "unset",
    doc: "`smtp://user:password@host:port` or `smtps://…`; without it no mail is sent; outside production links stand in the answers instead.",
    secret: true,
  },
  {
    name: "MAIL_FROM",
    fallback: "Gathercue <no-reply@localhost>",
    doc: "Sender of emails; must be set in production where mail is sent.",
  },
  {
    name: "MAIL_PER_WORKSPACE_PER_DAY",
    fallback: "200",
    doc: "Invitations and other emails that a workspace may send to addresses it chose, in a day (UTC), 0 to 1000000; one more is answered 429. All workspaces that one account founded have ten times as many together. Entry links, reminders and news of people who registered, and notes for people who were there, are not counted; decisions about registrations are, unless they answer a pending one without a reason.",
  },
  { name: "IDP_ISSUER", fallback: "unset", doc: "OpenID Connect issuer that accounts may sign in with." },
  {
    name: "IDP_CLIENT_ID",
    fallback: "unset",
    doc: "Client id at the issuer; its redirect URI is `PUBLIC_URL/v1/auth/idp/callback`.",
  },
  { name: "IDP_CLIENT_SECRET", fallback: "unset", doc: "Client secret at the issuer.", secret: true },
  {
    name: "HELP_LLM_URL",
    fallback: "unset",
    doc: "Base address of an OpenAI-compatible model that words the help chat's answers and summarises transcripts of events, such as `https://host/v1`.",
  },
  { name: "HELP_LLM_MODEL", fallback: "default", doc: "Name of that model." },
  { name: "HELP_LLM_KEY", fallback: "unset", doc: "Bearer key for that model.", secret: true },
  ...MEDIA_KEYS,
  {
    name: "TRUSTED_PROXIES",
    fallback: "none",
    doc: "Addresses and CIDR blocks, comma separated, whose `X-Forwarded-For` is believed when requests are counted.",
  },
  {
    name: "VENUE_ADDRESSES",
    fallback: "none",
    doc: "Addresses and CIDR blocks, comma separated, from which a whole hall comes: a Wi-Fi with one address. They have `VENUE_FACTOR` times the limits by address of reading, joining, registering, signing in and the help chat, and of questions, votes and reactions without a name; not those of wrong passwords, new accounts, emails and sockets. 20 times: 1200 people register at once, and 6000 enter without a name.",
  },
  { name: "VENUE_FACTOR", fallback: "20", doc: "How many times as much they may do, 1 to 1000." },
  { name: "DATA_DIR", fallback: ".data", doc: "Where the embedded database and generated secrets live." },
  {
    name: "DATABASE_URL",
    fallback: "embedded",
    doc: "An external PostgreSQL, 14 or newer (18 is what the tests run on), reached directly and not through a transaction pooler; `sslmode`, `sslrootcert`, `sslcert` and `sslkey` as libpq has them, but without `sslmode` there is no TLS. Without it an embedded PostgreSQL 18 runs in `DATA_DIR`.",
    secret: true,
  },
  { name: "DATABASE_POOL", fallback: "10", doc: "Connections to the database, 2 to 100." },
  {
    name: "DATABASE_WAITING",
    fallback: "500",
    doc: "Statements of requests that may wait for a connection, 10 to 900; one more is answered 503 at once, and a new request at half of them.",
  },
  {
    name: "DATABASE_DEADLINE_MS",
    fallback: "5000",
    doc: "How long a statement or transaction may take, with its wait for a connection, before it is given up, 500 to 60000; at most 40 % of it are spent waiting, and the server ends a statement after 54 %. The deadlines of a live event (3 s longer) and of a request (10 s longer, 17 s at least) follow it.",
  },
  {
    name: "BACKUP_TO",
    fallback: "unset",
    doc: "`s3://bucket/prefix`: backups of the embedded database go there by themselves. The prefix is for this installation alone.",
  },
  { name: "BACKUP_EVERY_HOURS", fallback: "24", doc: "Hours between two of these backups, 1 to 720." },
  { name: "BACKUP_KEEP", fallback: "14", doc: "The newest backups at `BACKUP_TO` that are kept, 1 to 1000." },
  {
    name: "BACKUP_S3_URL",
    fallback: "`S3_URL`",
    doc: "A bucket of the server that has the backups, as in `S3_URL`, which would take recordings too. The bucket's name is that of `BACKUP_TO`.",
  },
  { name: "BACKUP_S3_REGION", fallback: "`S3_REGION`", doc: "Beside `BACKUP_S3_URL`: its region." },
  { name: "BACKUP_S3_ACCESS_KEY_ID", fallback: "unset", doc: "Beside `BACKUP_S3_URL`: id of the access key." },
  { name: "BACKUP_S3_SECRET_ACCESS_KEY", fallback: "unset", doc: "Secret of that key.", secret: true },
  {
    name: "CLUSTER_ADDRESS",
    fallback: "unset",
    doc: "`host:port` by which the other nodes reach this one, on a private network: this server is then one of several on one database. Each of them needs `DATABASE_URL`, `NATS_URL`, `PUBLIC_URL` and the same `SECRET_KEY`. Without it the server runs alone, and listens on no such port.",
  },
  {
    name: "CLUSTER_SECRET",
    fallback: "unset",
    doc: "At least 32 characters, the same on all nodes: they prove it to each other, encrypt their calls (TLS with a shared key) and seal their messages on NATS. It may be absent only where NATS is on this machine, and in production the nodes too.",
    secret: true,
  },
  {
    name: "CLUSTER_SECRET_OTHER",
    fallback: "unset",
    doc: "While `CLUSTER_SECRET` is changed: another one that is taken beside it.",
    secret: true,
  },
  {
    name: "NATS_URL",
    fallback: "unset",
    doc: "NATS servers that carry what happens in live events between the nodes, comma separated: `nats://user:password@host:4222`, or `tls://…`; a user alone is a token.",
    secret: true,
  },
  {
    name: "WORKERS",
    fallback: "1",
    doc: "Processes on one port, 1 to 64, or `auto`: one for each core but one. Each of them is a node; without `CLUSTER_ADDRESS` they are reached on this machine alone and need no NATS, otherwise the `n`th one is at its port + `n`, counted from 0. One process starts the others and the embedded database, and takes no connections. `SIGHUP` starts the workers anew one by one. `DATABASE_POOL` is for each; by default they share 10, with at least 3 for each.",
  },
  {
    name: "ADMIN_PORT",
    fallback: "unset",
    doc: "A second port, on 127.0.0.1, with the same answers: that of the `n`th worker is `ADMIN_PORT` + `n`. Behind the shared port any worker answers `/metrics` and `/readyz`.",
  },
  {
    name: "NODE_LOST_MS",
    fallback: "6000",
    doc: "A node that was silent for so long loses its live events to others, 1000 to 60000; the same on all nodes. Below 4000 a long pause of one process moves events.",
  },
  {
    name: "DRAIN_DELAY_MS",
    fallback: "0",
    doc: "How long a server that is asked to stop goes on taking connections after `/readyz` says 503, so that load balancers notice first, 0 to 60000.",
  },
  {
    name: "QUIET",
    fallback: "false",
    doc: "`true`: as on a copy, nothing is sent to others (webhooks, emails, control of the media server, removals of media) until `gathercue promote`. For rehearsals.",
  },
  {
    name: "SECRET_KEY",
    fallback: "generated",
    doc: "At least 32 characters; signs tokens and seals webhook secrets. Outside production one is generated once and kept in `DATA_DIR`.",
    secret: true,
  },
  {
    name: "SECRET_KEYS_OLD",
    fallback: "unset",
    doc: "Comma separated older values of `SECRET_KEY`, none with a comma, at most 8: what they signed and sealed is still read. `gathercue keys` says when one may go.",
    secret: true,
  },
  {
    name: "SIGNUP",
    fallback: "open",
    doc: "Who may make an account: `open`: everybody; `invited`: who has an open invite; `off`: nobody. It is the same for accounts that an identity provider brings.",
  },
  {
    name: "WORKSPACES_PER_ACCOUNT",
    fallback: "20",
    doc: "Workspaces that one account may found, 0 to 100000; 0: no limit.",
  },
  {
    name: "PLATFORM_KEY",
    fallback: "unset",
    doc: "At least 32 characters; lets `x-platform-key` list all workspaces and read the state of the deployment, which `/ops` shows.",
    secret: true,
  },
  {
    name: "ACCESS_LOG",
    fallback: "on",
    doc: "`on`: a line at `info` for each request but probes, with its method, route, status, duration, bytes, kind of caller and id. `addresses`: with the client's address too. `off`: slow requests alone.",
  },
  {
    name: "OTEL_EXPORTER_OTLP_ENDPOINT",
    fallback: "unset",
    doc: "Base address of an OpenTelemetry collector, such as `http://127.0.0.1:4318`; traces go to its `/v1/traces`, as OTLP in JSON. Without it nothing is traced.",
  },
  {
    name: "OTEL_EXPORTER_OTLP_HEADERS",
    fallback: "unset",
    doc: "Headers for the collector: comma separated `name=value`, each value percent-encoded.",
    secret: true,
  },
  { name: "OTEL_SERVICE_NAME", fallback: "gathercue", doc: "Name of this service in traces." },
  {
    name: "OTEL_TRACES_SAMPLER_ARG",
    fallback: "1",
    doc: "Share of requests, commands and webhook attempts that are traced, 0 to 1; at most 500 a second in any case.",
  },
  { name: "LOG_LEVEL", fallback: "info", doc: "`trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`." },
  {
    name: "WEBHOOK_RETRY_SCHEDULE",
    fallback: "5,30,120,600,1800,7200,21600,43200,86400",
    doc: "Seconds to wait before each retry, comma separated; each gets up to 20 % jitter.",
  },
  {
    name: "WEBHOOK_CONCURRENCY",
    fallback: "64",
    doc: "Webhook requests in flight at once, 1 to 1000; one endpoint gets an eighth of them.",
  },
  {
    name: "PRESENCE_GRACE_MS",
    fallback: "0",
    doc: "How long a participant may be gone before it counts as left, 0 to 60000.",
  },
  {
    name: "GATEWAY_HISTORY_MS",
    fallback: "120000",
    doc: "How far back a reconnecting client is replayed exactly, 1000 to 3600000.",
  },
  {
    name: "GATEWAY_HISTORY_ENTRIES",
    fallback: "1000",
    doc: "At most this many dispatches of one stream are kept for replay, 10 to 100000.",
  },
  {
    name: "SOCKETS_PER_ADDRESS",
    fallback: "10000",
    doc: "Gateway sockets one address may have open, 10 to 1000000; one more is answered 429. An IPv6 address counts as its /64, and a /48 may have 16 times as many.",
  },
  {
    name: "ACTOR_MAILBOX",
    fallback: "1024",
    doc: "Commands one live event may queue; one more is answered 503, 1 to 100000.",
  },
  { name: "EVENT_DEFAULT_CAPACITY", fallback: "1000", doc: "Capacity of an event that names none, 1 to 100000." },
  {
    name: "METRICS_TOKEN",
    fallback: "unset",
    doc: "Bearer token for `/metrics`, at least 32 characters; without one the metrics are open in development and absent in production.",
    secret: true,
  },
  {
    name: "SECURITY_CONTACT",
    fallback: "unset",
    doc: "`mailto:…` or `https://…`, to which people report weaknesses: named in `/.well-known/security.txt` (RFC 9116), which is absent without it.",
  },
  {
    name: "ALLOW_LOOPBACK_TARGETS",
    fallback: "true outside production",
    doc: "Development switch: webhook targets and key sets of partners may be plain http on loopback.",
  },
  {
    name: "INSPECT",
    fallback: "unset",
    doc: "Development switch: `1` shows the charts of live events to Stately's inspector (`npm run inspector`, on port 8090); or the `ws://` address of its relay.",
  },
] as const satisfies ReadonlyArray<Key>

export type KeyName = (typeof CONFIG_KEYS)[number]["name"]
