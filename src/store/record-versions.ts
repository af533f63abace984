/** Records stored as JSON, read by the schema of their kind from any version. */
import { Data, Record, Result, Schema } from "effect"
import { STORED_KINDS, type StoredKindName } from "../model/live/live-records.ts"

/** A record that this release cannot read. The message names its kind and version, and no content. */
export class RecordUnreadable extends Data.TaggedError("RecordUnreadable")<{ readonly message: string }> {}

const isStoredKind = (kind: string): kind is StoredKindName => Object.hasOwn(STORED_KINDS, kind)

interface ReadableKind {
  readonly version: number
  readonly schema: Schema.Decoder<unknown>
  readonly older?: { readonly [version: number]: (body: unknown) => unknown }
}

const KINDS: { readonly [K in StoredKindName]: ReadableKind } = STORED_KINDS
const DECODERS = Record.map(KINDS, ({ schema }) => Schema.decodeUnknownResult(schema))

const unreadable = (message: string): Result.Result<never, RecordUnreadable> =>
  Result.fail(new RecordUnreadable({ message }))

/** The body upgraded to the newest version of its kind. Exported for tests, whose kinds have older versions. */
export const upgraded = (
  kind: string,
  version: number,
  body: unknown,
  { version: newest, older = {} }: ReadableKind,
): Result.Result<unknown, RecordUnreadable> => {
  if (version > newest) {
    return unreadable(`A record of kind ${kind} has version ${version}, and this release reads up to ${newest}.`)
  }
  let current = body
  for (let from = version; from < newest; from++) {
    const step = older[from]
    if (step === undefined) return unreadable(`Nothing reads version ${from} of a record of kind ${kind}.`)
    current = step(current)
  }
  return Result.succeed(current)
}

/** The record of a stored body. */
export const decodeRecord = (
  kind: string,
  version: number,
  body: unknown,
): Result.Result<{ readonly kind: StoredKindName; readonly record: unknown }, RecordUnreadable> => {
  if (!isStoredKind(kind)) return unreadable(`This release has no records of kind ${kind}.`)
  const newest = upgraded(kind, version, body, KINDS[kind])
  if (Result.isFailure(newest)) return Result.fail(newest.failure)
  const decoded = DECODERS[kind](newest.success)
  return Result.isFailure(decoded)
    ? unreadable(`A record of kind ${kind} is not what version ${version} says.`)
    : Result.succeed({ kind, record: decoded.success })
}

/** The version in which records of a kind are written. */
export const versionOf = (kind: string): number => (isStoredKind(kind) ? STORED_KINDS[kind].version : 1)
