/**
 * Signed addresses of media. The address is the credential: an HMAC over the operation, the object, the audience and the end of its
 * validity. The object's row is looked up on each request too, so that an address dies with its object.
 */
import { createHmac, timingSafeEqual } from "node:crypto"
import { Context } from "effect"
import type { KeyRing } from "../secret-key.ts"

/** `upload` and `part`: bytes in; `play` and `download`: out. */
export type LinkUse = "upload" | "part" | "play" | "download"

/** The kind of the object; of a transcript the bytes are WebVTT. */
export type LinkKind = "recording" | "clip" | "transcript" | "derivation" | "broadcast"

/** `public`: made for a reader without credentials; it ends when the event is no longer visible to them. */
export type LinkAudience = "public" | "workspace"

export interface Link {
  readonly use: LinkUse
  readonly kind: LinkKind
  readonly id: string
  readonly audience: LinkAudience
  /** Unix seconds. */
  readonly expires: number
}

/** The id in an address of a part. */
export const partLinkId = (recordingId: string, number: number): string => `${recordingId}_${number}`

export const partIdOf = (linkId: string): { readonly id: string; readonly number: number } => {
  const [id = "", number] = linkId.split("_")
  return { id, number: Number(number) }
}

export type LinkFault = "altered" | "expired"

const USES: ReadonlyArray<LinkUse> = ["upload", "part", "play", "download"]
const KINDS: ReadonlyArray<LinkKind> = ["recording", "clip", "transcript", "derivation", "broadcast"]
const AUDIENCES: ReadonlyArray<LinkAudience> = ["public", "workspace"]

/** 160 bits: an address is not searched for, and stays short. */
const TAG_BYTES = 20

export class MediaLinks extends Context.Service<
  MediaLinks,
  {
    /** URL-safe text. */
    readonly sign: (link: Link) => string
    /** `now`: Unix milliseconds. */
    readonly verify: (token: string, now: number) => Link | LinkFault
  }
>()("gathercue/MediaLinks") {}

const tagOf = (key: Uint8Array, claims: string): Buffer =>
  createHmac("sha256", key).update(claims).digest().subarray(0, TAG_BYTES)

/** `keys`: derived from the configured secrets for this purpose alone. */
export const mediaLinksOf = (keys: KeyRing): MediaLinks["Service"] => {
  return {
    sign: ({ use, kind, id, audience, expires }) => {
      const claims = `${use}.${kind}.${id}.${audience}.${expires}`
      return `${claims}.${tagOf(keys[0], claims).toString("base64url")}`
    },
    verify: (token, now) => {
      const [use, kind, id = "", audience, expires = "", tag = "", ...rest] = token.split(".")
      const given = Buffer.from(tag, "base64url")
      // The last character has bits that decode to nothing: each tag has one spelling alone.
      const isOurs = given.byteLength === TAG_BYTES && rest.length === 0 && given.toString("base64url") === tag
      const claims = `${use}.${kind}.${id}.${audience}.${expires}`
      if (!isOurs || !keys.some((key) => timingSafeEqual(given, tagOf(key, claims)))) return "altered"
      const link = {
        use: USES.find((one) => one === use),
        kind: KINDS.find((one) => one === kind),
        id,
        audience: AUDIENCES.find((one) => one === audience),
        expires: Number(expires),
      }
      const { use: ofUse, kind: ofKind, audience: forAudience } = link
      if (ofUse === undefined || ofKind === undefined || forAudience === undefined) return "altered"
      return link.expires * 1000 <= now ? "expired" : { ...link, use: ofUse, kind: ofKind, audience: forAudience }
    },
  }
}
