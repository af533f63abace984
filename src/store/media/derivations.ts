/** Files derived from recordings; a row exists once the file is complete. */
import type { DerivationKind } from "../../model/media/recording.ts"
import type { Timestamp } from "../../model/timestamp.ts"
import type { Queryable } from "../database.ts"

interface Derivation {
  readonly id: string
  readonly recordingId: string
  readonly kind: DerivationKind
  readonly storageKey: string
  readonly sizeBytes: number
  readonly contentType: string
}

/** Adds the job when the recording becomes ready. */
export const addDeriveJob = async (sql: Queryable, recordingId: string): Promise<void> => {
  await sql`insert into media_jobs (kind, recording_id) values ('derive', ${recordingId}) on conflict do nothing`
}

/** Returns false when the recording is gone, or has one of this kind. */
export const insertDerivation = async (sql: Queryable, derivation: Derivation): Promise<boolean> => {
  const { id, recordingId, kind, storageKey, sizeBytes, contentType } = derivation
  const { count } = await sql`
    insert into recording_derivations (id, recording_id, kind, storage_key, size_bytes, content_type)
    select ${id}::uuid, r.id, ${kind}, ${storageKey}, ${sizeBytes}, ${contentType} from recordings r where r.id = ${recordingId}::uuid
    on conflict do nothing`
  return count > 0
}

export const listDerivationKinds = async (
  sql: Queryable,
  recordingId: string,
): Promise<ReadonlyArray<DerivationKind>> => {
  const rows = await sql<{ kind: DerivationKind }[]>`
    select kind from recording_derivations where recording_id = ${recordingId}`
  return rows.map(({ kind }) => kind)
}

/** A derivation in the form in which media bytes are served. */
interface ServedDerivation {
  readonly id: string
  readonly eventId: string
  readonly title: string | null
  readonly contentType: string
  readonly sha256: null
  readonly createdAt: Timestamp
  readonly status: "ready"
  readonly storageKey: string
}

export const findDerivation = async (sql: Queryable, id: string): Promise<ServedDerivation | undefined> => {
  const [row] = await sql<ServedDerivation[]>`
    select d.id, r.event_id, r.title, d.content_type, null as sha256, d.created_at, 'ready' as status, d.storage_key
      from recording_derivations d join recordings r on r.id = d.recording_id where d.id = ${id}`
  return row
}
