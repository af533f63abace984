/** Contents of a backup, in a folder or in a bucket. */
import { Schema } from "effect"
import type { CopiedFile } from "../store/embedded/copy-files.ts"

/** Incremented when an earlier build can no longer restore a backup. */
export const FORMAT = 1
export const MANIFEST = "manifest.json"
export const DATABASE = "database"
export const MEDIA = "media"
export const KEY = "secret-key"

/** Session name of backups, as shown by PostgreSQL. */
export const SESSION = { application_name: "gathercue backup" }

export const ManifestFields = {
  format: Schema.Literal(FORMAT),
  madeAt: Schema.String,
  files: Schema.Array(Schema.Struct({ path: Schema.String, bytes: Schema.Int, sha256: Schema.String })),
}

export const bytesOf = (files: ReadonlyArray<CopiedFile>): number => files.reduce((sum, { bytes }) => sum + bytes, 0)

export const megabytes = (files: ReadonlyArray<CopiedFile>): string =>
  `${(bytesOf(files) / 1e6).toFixed(1)} MB in ${files.length} files`
