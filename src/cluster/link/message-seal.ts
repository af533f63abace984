/**
 * Seals the messages between nodes, so that the broker need not be trusted: AES-256-GCM with a key derived from the cluster's secret for
 * each sender. Subject, sender, sequence and time are bound to each message, so that no message can be read, changed, moved to another
 * subject, or delivered twice to one node. A node that starts later has seen no sequence: the time limit protects it from older messages,
 * and also has to cover the difference between the clocks of two nodes.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto"
import { LRUCache } from "lru-cache"

const FORMAT = 2
const SENDER_BYTES = 16
const SEQUENCE_BYTES = 8
const TIME_BYTES = 8
const SEQUENCE_AT = 1 + SENDER_BYTES
const TIME_AT = SEQUENCE_AT + SEQUENCE_BYTES
const HEADER_BYTES = TIME_AT + TIME_BYTES
const TAG_BYTES = 16
const NONCE_PADDING = Buffer.alloc(4)
const KEY_BYTES = 32
/** Most senders remembered. Each start of a node is a new sender, and earlier ones send no more. */
const MOST_SENDERS = 1_000

/** Largest difference between the sender's time and the receiver's at which a message is opened: it covers clock skew and a slow broker. */
export const MOST_OFF_MS = 30_000

/** Bytes by which a sealed message is longer than its text in UTF-8. */
export const SEAL_BYTES = HEADER_BYTES + TAG_BYTES

interface Sender {
  readonly key: Buffer
  /** Highest sequence of the sender's messages that were opened here. */
  readonly head: bigint
}

/** A dropped message: it was not sealed with the secret for this subject, was opened before, or its time is too far off. */
export interface RejectedMessage {
  readonly refused: "forged" | "replayed" | "stale"
}

export class MessageSeal {
  readonly #secrets: ReadonlyArray<string>
  readonly #now: () => number
  readonly #id = randomBytes(SENDER_BYTES)
  readonly #key: Buffer
  #sequence = 0n
  readonly #senders = new LRUCache<string, Sender>({ max: MOST_SENDERS })

  /** `now`: Unix milliseconds. `other`: a second secret with which messages are opened too. */
  constructor(secret: string, now: () => number, other?: string) {
    this.#secrets = other === undefined ? [secret] : [secret, other]
    this.#now = now
    this.#key = keyOf(secret, this.#id)
  }

  seal(subject: string, text: string): Uint8Array {
    const header = Buffer.alloc(HEADER_BYTES)
    header[0] = FORMAT
    header.set(this.#id, 1)
    header.writeBigUInt64BE(++this.#sequence, SEQUENCE_AT)
    header.writeBigUInt64BE(BigInt(Math.floor(this.#now())), TIME_AT)
    const cipher = createCipheriv("aes-256-gcm", this.#key, nonceOf(header))
    cipher.setAAD(boundData(subject, header))
    return Buffer.concat([header, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()])
  }

  /**
   * Opens a message. A sender's messages arrive in the order in which they were sealed, whatever their subjects, so a message that is not
   * newer than the last one was replayed. A message that was overtaken is lost, as any message may be.
   */
  open(subject: string, sealed: Uint8Array): string | RejectedMessage {
    const header = Buffer.from(sealed.buffer, sealed.byteOffset, Math.min(HEADER_BYTES, sealed.byteLength))
    if (sealed.byteLength < SEAL_BYTES || header[0] !== FORMAT) return { refused: "forged" }
    const id = header.toString("latin1", 1, SEQUENCE_AT)
    const known = this.#senders.get(id)
    const keys = known === undefined ? this.#keysOf(header.subarray(1, SEQUENCE_AT)) : [known.key]
    const opened = firstOpened(keys, subject, header, sealed)
    if (opened === undefined) return { refused: "forged" }
    const sequence = header.readBigUInt64BE(SEQUENCE_AT)
    // A node receives its own messages directly: one that comes over the link was replayed by somebody else.
    if (sequence <= (known?.head ?? 0n) || this.#id.equals(header.subarray(1, SEQUENCE_AT)))
      return { refused: "replayed" }
    if (Math.abs(this.#now() - Number(header.readBigUInt64BE(TIME_AT))) > MOST_OFF_MS) return { refused: "stale" }
    this.#senders.set(id, { key: opened.key, head: sequence })
    return opened.text
  }

  #keysOf(sender: Uint8Array): ReadonlyArray<Buffer> {
    return this.#secrets.map((secret) => keyOf(secret, sender))
  }
}

/** Key of a sender. Each sender has its own, so that its sequence is a unique nonce. */
const keyOf = (secret: string, sender: Uint8Array): Buffer =>
  Buffer.from(hkdfSync("sha256", secret, sender, "gathercue node messages", KEY_BYTES))

const nonceOf = (header: Buffer): Buffer => Buffer.concat([NONCE_PADDING, header.subarray(SEQUENCE_AT, TIME_AT)])

const boundData = (subject: string, header: Buffer): Buffer => Buffer.concat([header, Buffer.from(subject)])

/** The text, and the key that opens it. */
const firstOpened = (
  keys: ReadonlyArray<Buffer>,
  subject: string,
  header: Buffer,
  sealed: Uint8Array,
): { readonly key: Buffer; readonly text: string } | undefined => {
  for (const key of keys) {
    const text = decipher(key, subject, header, sealed)
    if (text !== undefined) return { key, text }
  }
  return undefined
}

const decipher = (key: Buffer, subject: string, header: Buffer, sealed: Uint8Array): string | undefined => {
  const cipher = createDecipheriv("aes-256-gcm", key, nonceOf(header), { authTagLength: TAG_BYTES })
  cipher.setAAD(boundData(subject, header))
  cipher.setAuthTag(sealed.subarray(-TAG_BYTES))
  try {
    return cipher.update(sealed.subarray(HEADER_BYTES, -TAG_BYTES), undefined, "utf8") + cipher.final("utf8")
  } catch {
    return undefined
  }
}
