/**
 * Signed addresses of media. The address is the credential: an HMAC over the operation, the object, the audience and the end of its
 * validity. The object's row is looked up on each request too, so that an address dies with its object; one that names what it rests on dies
 * with that as well (`model/links.ts`).
 */
import { createHmac, timingSafeEqual } from "node:crypto"
import { Context } from "effect"
import type { KeyRing } from "../crypto/secret-key.ts"
import type { HeldLink } from "../model/links.ts"

/** `upload` and `part`: bytes in; `play` and `download`: out. */
export type LinkUse = "upload" | "part" | "play" | "download"

/** The kind of the object; of a transcript the bytes are WebVTT. */
export type LinkKind = "recording" | "clip" | "transcript" | "derivation" | "broadcast"

/** Whom an address was given to, and when in Unix milliseconds. */
export type Held = Pick<HeldLink, "eventId" | "ground" | "givenAt">

/**
 * `public`: made for a reader without credentials; it ends when the event is no longer visible to them. `workspace`: of the whole workspace, for
 * its webhooks.
 */
export type LinkAudience = "public" | "workspace" | Held

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

type LinkFault = "altered" | "expired"

const USES: ReadonlyArray<LinkUse> = ["upload", "part", "play", "download"]
const KINDS: ReadonlyArray<LinkKind> = ["recording", "clip", "transcript", "derivation", "broadcast"]
const HELD = "held"

const toText = (held: Held): string => Buffer.from(JSON.stringify(held)).toString("base64url")

/** Of claims that this server signed. */
const audienceOf = (audience: string | undefined, held: string | undefined): LinkAudience | undefined => {
  if (audience === HELD && held !== undefined) return JSON.parse(Buffer.from(held, "base64url").toString()) as Held
  return audience === "public" || audience === "workspace" ? audience : undefined
}

/** 160 bits: an address is not searched for, and stays short. */
const TAG_BYTES = 20

export class MediaLinks extends Context.Service<
  MediaLinks,
  {
    /** URL-safe text. */
    readonly sign: (link: Link) => string
    /** `now`: Unix milliseconds. */
    readonly verify: (token: string, now: number) => Link | LinkFault
    /**
     * The text with the addresses of private broadcasts as they are given to this holder, in place of the workspace's. `undefined`: to nobody, so
     * that they are no credentials.
     */
    readonly personal: (text: string, held: Held | undefined) => string
  }
>()("gathercue/MediaLinks") {}

const tagOf = (key: Uint8Array, claims: string): Buffer =>
  createHmac("sha256", key).update(claims).digest().subarray(0, TAG_BYTES)

/** The beginning of each key in the workspace's address of a private broadcast. */
const OF_BROADCASTS = "play.broadcast."
const WORKSPACES_KEY = /play\.broadcast\.[\w-]+\.workspace\.\d+\.[\w-]+/g

/** Does the text have addresses of private broadcasts, which differ from holder to holder? */
export const hasHeldAddresses = (text: string): boolean => text.includes(OF_BROADCASTS)

/** The bearer link that an address is; `undefined`: it rests on its object alone. */
export const heldLinkOf = ({ use, kind, id, audience, expires }: Link): HeldLink | undefined => {
  if (typeof audience === "string") return undefined
  const expiresAt = expires * 1000
  if (use === "upload" || use === "part") return { ...audience, kind: "upload", objectId: partIdOf(id).id, expiresAt }
  return { ...audience, kind: kind === "broadcast" ? "watch" : "media", objectId: id, expiresAt }
}

/** `keys`: derived from the configured secrets for this purpose alone. */
export const mediaLinksOf = (keys: KeyRing): MediaLinks["Service"] => {
  const sign = ({ use, kind, id, audience, expires }: Link): string => {
    const [name, ...held] = typeof audience === "string" ? [audience] : [HELD, toText(audience)]
    const claims = [use, kind, id, name, expires, ...held].join(".")
    return `${claims}.${tagOf(keys[0], claims).toString("base64url")}`
  }
  const verify = (token: string, now: number): Link | LinkFault => {
    const parts = token.split(".")
    const tag = parts.pop() ?? ""
    const given = Buffer.from(tag, "base64url")
    // The last character has bits that decode to nothing: each tag has one spelling alone.
    const isOurs = given.byteLength === TAG_BYTES && given.toString("base64url") === tag
    const claims = parts.join(".")
    if (!isOurs || !keys.some((key) => timingSafeEqual(given, tagOf(key, claims)))) return "altered"
    const [use, kind, id = "", audience, expires, held] = parts
    const link = {
      use: USES.find((one) => one === use),
      kind: KINDS.find((one) => one === kind),
      id,
      audience: audienceOf(audience, held),
      expires: Number(expires),
    }
    const { use: ofUse, kind: ofKind, audience: forAudience } = link
    if (ofUse === undefined || ofKind === undefined || forAudience === undefined) return "altered"
    return link.expires * 1000 <= now ? "expired" : { ...link, use: ofUse, kind: ofKind, audience: forAudience }
  }
  return {
    sign,
    verify,
    personal: (text, held) =>
      text.replace(WORKSPACES_KEY, (key) => {
        const link = verify(key, 0)
        if (typeof link === "string") return key
        return held === undefined ? link.id : sign({ ...link, audience: held })
      }),
  }
}
