/**
 * Signed addresses of media. The address is the credential: an HMAC over the operation, the object, the audience and the end of its
 * validity. The object's row is also looked up on each request, so an address ends with its object; one that names its basis ends with that
 * as well (`model/links.ts`).
 */
import { createHmac, timingSafeEqual } from "node:crypto"
import { Context } from "effect"
import type { KeyRing } from "../crypto/secret-key.ts"
import type { HeldLink } from "../model/links.ts"

/** `upload` and `part` write bytes; `play` and `download` read them. */
export type LinkUse = "upload" | "part" | "play" | "download"

/** Kind of the object; a transcript is served as WebVTT. */
export type ObjectKind = "recording" | "clip" | "transcript" | "derivation" | "broadcast"

/** Holder of an address, and its time of issue in Unix milliseconds. */
export type Held = Pick<HeldLink, "eventId" | "ground" | "givenAt">

/**
 * `public` is for a reader without credentials and ends when the event is no longer visible to them. `workspace` is for the whole
 * workspace, for its webhooks.
 */
export type LinkAudience = "public" | "workspace" | Held

export interface MediaLink {
  readonly use: LinkUse
  readonly kind: ObjectKind
  readonly id: string
  readonly audience: LinkAudience
  /** Expiry in Unix seconds. */
  readonly expires: number
}

/** Id in a part's address. */
export const partLinkId = (recordingId: string, number: number): string => `${recordingId}_${number}`

export const partIdOf = (linkId: string): { readonly id: string; readonly number: number } => {
  const [id = "", number] = linkId.split("_")
  return { id, number: Number(number) }
}

type LinkFault = "altered" | "expired"

const USES: ReadonlyArray<LinkUse> = ["upload", "part", "play", "download"]
const KINDS: ReadonlyArray<ObjectKind> = ["recording", "clip", "transcript", "derivation", "broadcast"]
const HELD = "held"

const toText = (held: Held): string => Buffer.from(JSON.stringify(held)).toString("base64url")

/** Parses the audience of signed claims. */
const audienceOf = (audience: string | undefined, held: string | undefined): LinkAudience | undefined => {
  if (audience === HELD && held !== undefined) return JSON.parse(Buffer.from(held, "base64url").toString()) as Held
  return audience === "public" || audience === "workspace" ? audience : undefined
}

/** 160 bits keep an address short, and cannot be guessed. */
const TAG_BYTES = 20

export class MediaLinks extends Context.Service<
  MediaLinks,
  {
    /** Signs a link. The text is URL-safe. */
    readonly sign: (link: MediaLink) => string
    /** `now` is in Unix milliseconds. */
    readonly verify: (token: string, now: number) => MediaLink | LinkFault
    /** Replaces the workspace's addresses of private broadcasts by the holder's; without a holder, by ones that open nothing. */
    readonly personal: (text: string, held: Held | undefined) => string
  }
>()("gathercue/MediaLinks") {}

const tagOf = (key: Uint8Array, claims: string): Buffer =>
  createHmac("sha256", key).update(claims).digest().subarray(0, TAG_BYTES)

/** Beginning of each signed key of a private broadcast. */
const OF_BROADCASTS = "play.broadcast."
const WORKSPACES_KEY = /play\.broadcast\.[\w-]+\.workspace\.\d+\.[\w-]+/g

/** Whether the text has addresses of private broadcasts, which differ by holder. */
export const hasHeldAddresses = (text: string): boolean => text.includes(OF_BROADCASTS)

/** The bearer link of an address; `undefined` when it depends on its object alone. */
export const heldLinkOf = ({ use, kind, id, audience, expires }: MediaLink): HeldLink | undefined => {
  if (typeof audience === "string") return undefined
  const expiresAt = expires * 1000
  if (use === "upload" || use === "part") return { ...audience, kind: "upload", objectId: partIdOf(id).id, expiresAt }
  return { ...audience, kind: kind === "broadcast" ? "watch" : "media", objectId: id, expiresAt }
}

/** `keys` are derived from the configured secrets for this purpose alone. */
export const mediaLinksOf = (keys: KeyRing): MediaLinks["Service"] => {
  const sign = ({ use, kind, id, audience, expires }: MediaLink): string => {
    const [name, ...held] = typeof audience === "string" ? [audience] : [HELD, toText(audience)]
    const claims = [use, kind, id, name, expires, ...held].join(".")
    return `${claims}.${tagOf(keys[0], claims).toString("base64url")}`
  }
  const verify = (token: string, now: number): MediaLink | LinkFault => {
    const parts = token.split(".")
    const tag = parts.pop() ?? ""
    const given = Buffer.from(tag, "base64url")
    // The last character has unused bits, so the comparison accepts only one spelling of a tag.
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
