/** Dependencies of a server, each actually tested. The tests leave no changes. */
import { randomBytes } from "node:crypto"
import { stat, statfs } from "node:fs/promises"
import { createServer } from "node:net"
import type { Redacted } from "effect"
import { directoryProblem } from "../certificates/directory.ts"
import { certificatesFolder, readCertificate } from "../certificates/kept-certificate.ts"
import { tryNats } from "../cluster/link/nats-link.ts"
import type { Config } from "../config/config.ts"
import { nearestFolder, unwritable } from "../config/data-folder.ts"
import { fetchFailure, fetchWithin } from "../egress/fetch-within.ts"
import { tryMailServer } from "../mail/smtp.ts"
import { tryMediaServer } from "../media/livekit/try-media-server.ts"
import { S3Bucket } from "../media/storage/s3/s3-bucket.ts"
import { listenUrl } from "../model/listen-url.ts"
import { readAccess } from "../store/access.ts"
import { userName, weAreRoot } from "../store/embedded/owner.ts"
import { findDatabase } from "../store/embedded/place.ts"
import { requireRestored } from "../store/embedded/restoring.ts"
import { signsOfCopy } from "../store/quiet/instance.ts"
import { countSealed } from "../store/sealing/resealing.ts"
import { opensSecrets } from "../store/sealing/sealing-keys.ts"
import { placeIn } from "./bucket-backup.ts"
import { withDatabase } from "./reach-database.ts"

export interface CheckedPart {
  readonly part: string
  /** `warning` means that a server starts, and part of it may not work. */
  readonly state: "ok" | "warning" | "failed"
  /** A sentence, or a few words for `ok`. */
  readonly text: string
  readonly remedy?: string
}

/** Configuration as returned by `checkConfig`; a secret key may not exist yet. */
type Checked = Omit<Config, "secretKeys"> & { readonly secretKeys: Config["secretKeys"] | null }

const WITHIN_MS = 10_000
const HEALTH_WITHIN_MS = 3_000
const S3_DEADLINES = { shortMs: WITHIN_MS, longMs: WITHIN_MS }

const ok = (part: string, text: string): CheckedPart => ({ part, state: "ok", text })
const failed = (part: string, text: string, remedy: string): CheckedPart => ({ part, state: "failed", text, remedy })
const warning = (part: string, text: string, remedy: string): CheckedPart => ({ part, state: "warning", text, remedy })

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

/** `remedy` is for a failed test. */
const tried = async (part: string, remedy: string, work: () => Promise<CheckedPart>): Promise<CheckedPart> => {
  try {
    return await work()
  } catch (cause) {
    return failed(part, messageOf(cause), remedy)
  }
}

const keysOf = async (url: string, secretKeys: Config["secretKeys"]): Promise<CheckedPart> => {
  const counts = (await opensSecrets(url, secretKeys)) ? await countSealed(url, secretKeys) : []
  const unreadable = counts.filter((one) => one.unreadable > 0).map((one) => `${one.unreadable} ${one.name}`)
  return unreadable.length === 0
    ? ok("keys", "open everything that is sealed")
    : failed(
        "keys",
        `None of the configured keys opens ${unreadable.join(", ")}.`,
        "Add the one that does to SECRET_KEYS_OLD.",
      )
}

const KEY_REMEDY = "Use the SECRET_KEY of before."

const copyOf = async (config: Checked, url: string): Promise<ReadonlyArray<CheckedPart>> => {
  const signs = await signsOfCopy(url, config)
  if (signs.length === 0) return []
  const sentence = `The database is a copy, and nothing is sent to others. ${signs.join(" ")}`
  return [warning("database", sentence, "Run gathercue promote when it is the real one.")]
}

const readDatabase = async (config: Checked, url: string, place: string): Promise<ReadonlyArray<CheckedPart>> => {
  const { secretKeys, dataDir } = config
  const { problems, schema } = await readAccess(url)
  const found = problems.map(({ problem, remedy }) => failed("database", problem, remedy))
  if (found.length > 0 || schema === null) return found
  const { applied, known, refusal } = schema
  if (refusal !== null) return [failed("database", refusal.problem, refusal.remedy)]
  if (applied === 0)
    return [ok("database", `${place}, empty, its tables are made by gathercue migrate or the first start`)]
  if (secretKeys === null) {
    const sentence = `The key of the database is missing: there is no file secret-key in ${dataDir}.`
    return [failed("keys", sentence, "Restore the file, or set SECRET_KEY.")]
  }
  const version = applied === known ? "" : `; ${known} is this build's`
  return [
    ok("database", `${place}, at schema version ${applied}${version}`),
    ...(applied === known ? await copyOf(config, url) : []),
    ...(applied === known ? [await tried("keys", KEY_REMEDY, () => keysOf(url, secretKeys))] : []),
  ]
}

const DATABASE_REMEDY =
  "Compare DATABASE_URL (host, user, password, sslmode) with the database server, which must take connections from here."

const checkDatabase = async (config: Checked): Promise<ReadonlyArray<CheckedPart>> => {
  const { databaseUrl, dataDir } = config
  try {
    if (databaseUrl === null) await requireRestored(dataDir)
    // The first start creates the database; a check creates nothing.
    const isNew = databaseUrl === null && (await findDatabase(dataDir)) === undefined
    if (isNew) return [ok("database", `none in ${dataDir} yet: the first start makes it`)]
    const place = databaseUrl === null ? `in ${dataDir}` : "at DATABASE_URL"
    return await withDatabase(config, (url) => readDatabase(config, url, place))
  } catch (cause) {
    return [failed("database", messageOf(cause), databaseUrl === null ? "Look at DATA_DIR." : DATABASE_REMEDY)]
  }
}

const checkFolder = ({ dataDir, s3, mediaMinFreeBytes }: Checked): Promise<CheckedPart> =>
  tried("data folder", "Let the user of the server write to DATA_DIR, or name another folder.", async () => {
    const folder = nearestFolder(dataDir)
    const problem = unwritable(dataDir)
    if (problem !== undefined) throw new Error(problem)
    const { bavail, bsize } = await statfs(folder)
    const free = bavail * bsize
    if (s3 === null && free < mediaMinFreeBytes) {
      const sentence = `${free} bytes are free on the disk of ${dataDir}, fewer than MEDIA_MIN_FREE_BYTES: uploads are refused.`
      return warning("data folder", sentence, "Make room, or lower MEDIA_MIN_FREE_BYTES.")
    }
    const { uid } = await stat(folder)
    // Root may write everywhere, so the check would say nothing of the user of the server.
    if (weAreRoot() && uid !== 0) {
      const sentence = `The data folder belongs to ${(await userName(uid)) ?? `user ${uid}`}; run the check as that user.`
      return { part: "data folder", state: "warning", text: sentence }
    }
    return ok("data folder", `${dataDir} can be written to`)
  })

/** Undefined when the port is free. */
const portTaken = (host: string, port: number): Promise<NodeJS.ErrnoException | undefined> =>
  new Promise((resolve) => {
    const probe = createServer()
    probe.once("error", resolve).listen({ host, port, exclusive: true }, () => probe.close(() => resolve(undefined)))
  })

/** Null when no server of ours answers there. */
const askHealth = (url: string): Promise<number | null> =>
  fetchWithin(HEALTH_WITHIN_MS, `${url}/healthz`, { redirect: "manual" }, async (answer) => {
    const isOurs = answer.headers.get("content-type")?.includes("json") === true
    await answer.body?.cancel()
    return isOurs ? answer.status : null
  })

const checkPort = async ({ host, port, cluster, acme }: Checked): Promise<ReadonlyArray<CheckedPart>> => {
  const remedy = "Stop the other program, or choose another port and an address of this machine."
  // A TLS port answers only under its own names.
  const url = listenUrl(host, acme?.httpPort ?? port)
  const isRunning = port > 0 && (await askHealth(url).catch(() => null)) !== null
  const look = async (part: string, key: string, name: string, at: number): Promise<CheckedPart> => {
    const taken = await portTaken(name, at)
    if (taken === undefined) return ok(part, `${key} ${at} on ${name} is free`)
    if (isRunning && taken.code === "EADDRINUSE") return ok(part, `a Gathercue server listens on ${key} ${at}`)
    return failed(part, `${key} ${at} on ${name} cannot be listened on (${taken.message}).`, remedy)
  }
  return [
    await look("port", "PORT", host, port),
    ...(acme === null ? [] : [await look("plain port", "ACME_HTTP_PORT", host, acme.httpPort)]),
    ...(cluster === null ? [] : [await look("node port", "CLUSTER_ADDRESS", cluster.host, cluster.port)]),
  ]
}

const checkMail = (smtp: NonNullable<Config["smtp"]>): Promise<CheckedPart> =>
  tried(
    "mail",
    "Compare SMTP_URL with the mail server: host, port, user, and smtps:// where TLS comes first.",
    async () => ok("mail", `${await tryMailServer(smtp.url)} takes emails`),
  )

const checkNats = (nats: Redacted.Redacted<string>): Promise<CheckedPart> =>
  tried("NATS", "Compare NATS_URL, with its user and password, with the NATS server.", async () => {
    await tryNats(nats)
    return ok("NATS", "answers")
  })

/** `name` is the bucket's name in a sentence. The object is stored under the prefix. */
const tryBucket = async (bucket: S3Bucket, prefix: string, name: string): Promise<void> => {
  const [key, bytes] = [`${prefix}gathercue-check-${randomBytes(6).toString("hex")}`, randomBytes(16)]
  const refuse = (cause: unknown): never => {
    throw new Error(`${name} cannot be used (${messageOf(cause)}).`)
  }
  try {
    await bucket.put(key, bytes)
    const read = await bucket.read(key, 0, bytes.length)
    if (!bytes.equals(read)) throw new Error("it gave other bytes than it was given")
    const listed = await bucket.list(key)
    if (listed.length === 0) throw new Error("it does not list what it was given")
  } catch (cause) {
    await bucket.remove(key).catch(() => undefined)
    refuse(cause)
  }
  await bucket.remove(key).catch(refuse)
}

const TRIED = "an object was written, read, listed and deleted"

const checkBucket = (s3: NonNullable<Config["s3"]>): Promise<CheckedPart> =>
  tried(
    "bucket",
    "Compare S3_URL, S3_REGION and the access key, which must put, get, list and delete objects and multipart uploads.",
    async () => {
      await tryBucket(new S3Bucket(s3, S3_DEADLINES), "", "The bucket at S3_URL")
      return ok("bucket", TRIED)
    },
  )

const checkBackups = (backup: Config["backup"], to: string): Promise<CheckedPart> =>
  tried(
    "backups",
    "Compare BACKUP_TO with BACKUP_S3_URL, BACKUP_S3_REGION and its access key (by default those of S3_URL), which must put, get, list and delete objects.",
    async () => {
      const { bucket, prefix, shown } = placeIn(backup, to, S3_DEADLINES)
      await tryBucket(bucket, `${prefix}/`, shown)
      return ok("backups", `${shown}: ${TRIED}`)
    },
  )

const checkMedia = (media: NonNullable<Config["media"]>): Promise<CheckedPart> =>
  tried(
    "media server",
    "Compare MEDIA_URL, MEDIA_API_KEY and MEDIA_API_SECRET with the LiveKit server's.",
    async () => {
      await tryMediaServer(media)
      return ok("media server", "answers, and takes the key")
    },
  )

/** Tested from this machine: a server that does not run yet, and a name that only others resolve, are no faults. */
const checkAddress = async (publicUrl: string): Promise<CheckedPart> => {
  const remedy = "Once a server runs, this address must lead to it, through the proxy with its certificate."
  try {
    const status = await askHealth(publicUrl)
    if (status === 200) return ok("address", `${publicUrl} leads to a server`)
    return warning(
      "address",
      `PUBLIC_URL is answered by something else${status === null ? "" : ` (${status})`}.`,
      remedy,
    )
  } catch (cause) {
    return warning("address", `PUBLIC_URL is not reached from this machine (${fetchFailure(cause)}).`, remedy)
  }
}

const DAY_MS = 86_400_000
const LATE_MS = 14 * DAY_MS

/**
 * Checks the kept certificate, and whether the authority that issues the next one is reachable: without a certificate nothing works, with
 * one only the renewal is affected.
 */
const checkCertificate = async (dataDir: string, acme: NonNullable<Config["acme"]>): Promise<CheckedPart> => {
  const part = "certificate"
  const kept = readCertificate(certificatesFolder(dataDir))
  const problem = await directoryProblem(acme.directory)
  const reach = "Compare ACME_DIRECTORY, which must be reached from here over https."
  if (problem !== undefined) return kept === undefined ? failed(part, problem, reach) : warning(part, problem, reach)
  const remedy = "The log and /ops say why no new one comes. Each name must lead to ACME_HTTP_PORT, as port 80."
  if (kept === undefined) return warning(part, `There is none yet for ${acme.domains.join(", ")}.`, remedy)
  const end = `for ${kept.names.join(", ")} ends on ${new Date(kept.to).toISOString()}`
  return kept.to - Date.now() < LATE_MS ? warning(part, `The one ${end}.`, remedy) : ok(part, `the one ${end}`)
}

/** Tests run concurrently, with results in a fixed order. */
export const checkParts = async (config: Checked): Promise<ReadonlyArray<CheckedPart>> => {
  const { smtp, cluster, s3, backup, media, publicUrl, acme } = config
  const parts = await Promise.all([
    checkDatabase(config),
    checkFolder(config),
    checkPort(config),
    acme && checkCertificate(config.dataDir, acme),
    smtp && checkMail(smtp),
    cluster?.nats && checkNats(cluster.nats),
    s3 && checkBucket(s3),
    backup.to === null ? null : checkBackups(backup, backup.to),
    media && checkMedia(media),
    publicUrl === null ? null : checkAddress(publicUrl),
  ])
  return parts.flatMap((part) => part ?? [])
}
