/**
 * Identifiers. Every resource id is a UUIDv7 (RFC 9562 §5.7): unique without coordination and sortable by creation time, so a primary key
 * index grows at its right edge and keyset pages need no second index.
 */
import { randomFillSync } from "node:crypto"
import { Schema, SchemaTransformation } from "effect"
import { v5, v7 } from "uuid"
import { lowerAscii } from "./text/compared.ts"

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Id of an object in an answer: a UUID made by the server, so it is not validated again. */
export const Uuid = Schema.String.annotate({ format: "uuid" })

/** A UUID in a body, folded to its canonical lower-case form. */
export const Id = Schema.String.check(Schema.isUUID()).pipe(
  Schema.decodeTo(Schema.String, SchemaTransformation.transform({ decode: lowerAscii, encode: (text) => text })),
)

/** Random bytes are drawn for many ids at once: a separate draw costs more than the rest of an id. */
const ID_BYTES = 16
const drawn = new Uint8Array(ID_BYTES * 256)
let used = drawn.length

const randomBytes = (): Uint8Array => {
  if (used === drawn.length) {
    randomFillSync(drawn)
    used = 0
  }
  used += ID_BYTES
  return drawn.subarray(used - ID_BYTES, used)
}

/** Within a millisecond ids count up from a random number (RFC 9562 §6.2, method 1), even when the clock steps back. */
let lastMs = 0
let sequence = 0

export const newId = (): string => {
  const random = randomBytes()
  const now = Date.now()
  if (now > lastMs) {
    lastMs = now
    sequence = new DataView(random.buffer, random.byteOffset).getUint32(0) >>> 1
  } else {
    sequence = (sequence + 1) | 0
    if (sequence === 0) lastMs++
  }
  return v7({ random, msecs: lastMs, seq: sequence })
}

/** Deterministic id of some parts: a UUIDv5 (RFC 9562 §5.5) in the namespace of another id. */
export const namedId = (namespace: string, ...parts: ReadonlyArray<string>): string =>
  // Encoded as JSON, so that no two lists of parts collide.
  v5(JSON.stringify(parts), namespace)

/** Folds an id from a path or header to canonical form; `undefined` if it is not a UUID. */
export const parseId = (text: string): string | undefined => {
  const folded = lowerAscii(text)
  return UUID.test(folded) ? folded : undefined
}
