/**
 * An unsolicited email has a link by which its reader refuses further emails of the kind from that workspace. The link holds the workspace,
 * the kind, and a keyed hash of the address, signed by this server. Its holder may refuse these emails, and learns nothing from it. The
 * store keeps the same hash of the address.
 */
import { createHmac, timingSafeEqual } from "node:crypto"
import { Context, Layer } from "effect"
import type { KeyRing } from "../crypto/secret-key.ts"
import type { Queryable } from "../store/database.ts"
import { isBounced, listBounced } from "../store/mail/bounces.ts"
import { findRefusal, listRefusals } from "../store/mail/emails.ts"

/** Kinds that may be refused. Their order is part of every link: append new ones at the end. */
const KINDS = ["invitation", "tableNotes", "reminder", "thanks"] as const
export type RefusableKind = (typeof KINDS)[number]

/** The emails refused by a link. */
export interface EmailRefusal {
  readonly workspaceId: string
  readonly kind: RefusableKind
  readonly addressHash: Uint8Array
}

/** Identity of an email: its workspace, its kind, and its folded recipient address. */
export interface UnaskedEmail {
  readonly workspaceId: string
  readonly kind: RefusableKind
  readonly email: string
}

const ID_BYTES = 16
const HASH_BYTES = 32
const CLAIM_BYTES = ID_BYTES + 1 + HASH_BYTES

const bytesOf = (id: string): Buffer => Buffer.from(id.replaceAll("-", ""), "hex")
const idOf = (bytes: Buffer): string =>
  bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")

const keyed = (key: Uint8Array, what: "address" | "link", data: string | Uint8Array): Buffer =>
  createHmac("sha256", key).update(`${what}:`).update(data).digest()

export class EmailRefusals extends Context.Service<
  EmailRefusals,
  {
    /** Token of the link in this email, as one path segment. */
    readonly tokenFor: (letter: UnaskedEmail) => string
    /** `undefined` for anything that this server did not sign. */
    readonly read: (token: string) => EmailRefusal | undefined
    /** Whether the address refused emails of the kind, or takes none. */
    readonly isRefused: (sql: Queryable, letter: UnaskedEmail) => Promise<boolean>
    /** The folded addresses among these that refused emails of the kind, or take none. */
    readonly refusedAmong: (
      sql: Queryable,
      letters: Omit<UnaskedEmail, "email">,
      emails: ReadonlyArray<string>,
    ) => Promise<ReadonlySet<string>>
  }
>()("gathercue/EmailRefusals") {
  /** `keys` are for this purpose alone; `addressKey` is 32 bytes that stay the same as long as the store keeps hashes of addresses. */
  static readonly layer = (keys: KeyRing, addressKey: Uint8Array): Layer.Layer<EmailRefusals> =>
    Layer.sync(EmailRefusals, () => {
      const refusalOf = ({ workspaceId, kind, email }: UnaskedEmail): EmailRefusal => ({
        workspaceId,
        kind,
        addressHash: keyed(addressKey, "address", email),
      })
      return {
        tokenFor: (letter) => {
          const { workspaceId, kind, addressHash } = refusalOf(letter)
          const claim = Buffer.concat([bytesOf(workspaceId), Buffer.of(KINDS.indexOf(kind)), addressHash])
          return Buffer.concat([claim, keyed(keys[0], "link", claim)]).toString("base64url")
        },
        read: (token) => {
          const bytes = Buffer.from(token, "base64url")
          if (bytes.length !== CLAIM_BYTES + HASH_BYTES) return undefined
          const claim = bytes.subarray(0, CLAIM_BYTES)
          const kind = KINDS[claim.readUInt8(ID_BYTES)]
          const given = bytes.subarray(CLAIM_BYTES)
          const isOurs = keys.some((key) => timingSafeEqual(given, keyed(key, "link", claim)))
          if (!isOurs || kind === undefined) return undefined
          return { workspaceId: idOf(claim.subarray(0, ID_BYTES)), kind, addressHash: claim.subarray(ID_BYTES + 1) }
        },
        isRefused: async (sql, letter) =>
          (await findRefusal(sql, refusalOf(letter))) || (await isBounced(sql, letter.workspaceId, letter.email)),
        refusedAmong: async (sql, letters, emails) => {
          const hashes = emails.map((email) => keyed(addressKey, "address", email).toString("hex"))
          const refused = await listRefusals(sql, letters, hashes)
          const bounced = await listBounced(sql, letters.workspaceId, emails)
          return new Set(emails.filter((email, index) => refused.has(hashes[index] ?? "") || bounced.has(email)))
        },
      }
    })
}
