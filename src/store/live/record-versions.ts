/** Records that are stored as JSON, read by the schema of their kind, whichever version they were written in. */
import { Data, Result, Schema } from "effect"
import { STORED_KINDS, type StoredKind, type StoredKindName } from "../../model/live/live-records.ts"

/** A record that this release cannot read. The message names its kind and version, and no content. */
export class RecordUnreadable extends Data.TaggedError("RecordUnreadable")<{ readonly message: string }> {}

const isStoredKind = (kind: string): kind is StoredKindName => Object.hasOwn(STORED_KINDS, kind)

type Decode = (body: unknown) => Result.Result<unknown, Schema.SchemaError>

const DECODERS = Object.fromEntries(
  Object.entries<StoredKind<unknown>>(STORED_KINDS as unknown as Record<string, StoredKind<unknown>>).map(
    ([kind, { schema }]) => [kind, Schema.decodeUnknownResult(schema)],
  ),
) as unknown as { readonly [K in StoredKindName]: Decode }

/** `kinds` is for tests. Throws `RecordUnreadable`. */
export const upgraded = <R>(
  kind: string,
  version: number,
  body: unknown,
  { version: newest, older = {} }: StoredKind<R>,
): unknown => {
  if (version > newest) {
    throw new RecordUnreadable({
      message: `A record of kind ${kind} has version ${version}, and this release reads up to ${newest}.`,
    })
  }
  let current = body
  for (let from = version; from < newest; from++) {
    const step = older[from]
    if (step === undefined)
      throw new RecordUnreadable({ message: `Nothing reads version ${from} of a record of kind ${kind}.` })
    current = step(current)
  }
  return current
}

/** The record of a stored body. Throws `RecordUnreadable`. */
export const decodeRecord = (
  kind: string,
  version: number,
  body: unknown,
): { readonly kind: StoredKindName; readonly record: unknown } => {
  if (!isStoredKind(kind)) throw new RecordUnreadable({ message: `This release has no records of kind ${kind}.` })
  const decoded = DECODERS[kind](upgraded(kind, version, body, STORED_KINDS[kind] as StoredKind<unknown>))
  if (Result.isFailure(decoded))
    throw new RecordUnreadable({ message: `A record of kind ${kind} is not what version ${version} says.` })
  return { kind, record: decoded.success }
}

/** The version in which records of a kind are written. */
export const versionOf = (kind: string): number => (isStoredKind(kind) ? STORED_KINDS[kind].version : 1)
