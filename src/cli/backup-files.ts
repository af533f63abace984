/** Contents of a backup, in a folder or in a bucket. */
import { Schema } from "effect"
import type { CopiedFile } from "../store/embedded/copy-files.ts"
import { ownerName } from "../store/embedded/restore-place.ts"
import { CommandFailed } from "./command-failed.ts"

/** Incremented when an earlier build can no longer restore a backup. */
export const FORMAT = 1
export const MANIFEST = "manifest.json"
export const DATABASE = "database"
export const MEDIA = "media"
export const KEY_FILE = "secret-key"

/** Session name of backups, as shown by PostgreSQL. */
export const SESSION = { application_name: "gathercue backup" }

export const ManifestFields = {
  format: Schema.Literal(FORMAT),
  madeAt: Schema.String,
  /** Name of the user whose data it is, which a restore by root gives the files to. Absent for root. */
  owner: Schema.optionalKey(Schema.String),
  files: Schema.Array(Schema.Struct({ path: Schema.String, bytes: Schema.Int, sha256: Schema.String })),
}

export const bytesOf = (files: ReadonlyArray<CopiedFile>): number => files.reduce((sum, { bytes }) => sum + bytes, 0)

export const megabytes = (files: ReadonlyArray<CopiedFile>): string =>
  `${(bytesOf(files) / 1e6).toFixed(1)} MB in ${files.length} files`

export const Manifest = Schema.fromJsonString(Schema.Struct(ManifestFields))

export const EXTERNAL =
  "The database is at DATABASE_URL: back it up and restore it with PostgreSQL's own tools (pg_dump, pg_basebackup)."

export const inFolder = (folder: string, files: ReadonlyArray<CopiedFile>): ReadonlyArray<CopiedFile> =>
  files.map((file) => ({ ...file, path: `${folder}/${file.path}` }))

/** A full disk, an unreadable folder and the like are reported with the system's own message. */
export const ofTheSystem = (cause: unknown, what: string): unknown =>
  cause instanceof Error && "syscall" in cause ? new CommandFailed(`${what}: ${cause.message}.`) : cause

/** The field `owner` of a backup of the data folder. */
export const ownerIn = async (dataDir: string): Promise<{ readonly owner?: string }> => {
  const owner = await ownerName(dataDir)
  return owner === undefined ? {} : { owner }
}
