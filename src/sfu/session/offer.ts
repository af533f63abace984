/** The offer of a browser (SDP: RFC 8866, JSEP: RFC 9429), as far as it matters for forwarding. */

import { lowerAscii } from "../../model/text/compared.ts"
import { Malformed } from "../bytes.ts"
import type { ExtensionIds, MediaKind } from "../rtp/packet.ts"

export interface Section {
  readonly mid: string
  readonly kind: MediaKind
  /** Whether the browser sends in this section; otherwise it is a place for somebody else's sound or picture. */
  readonly isSent: boolean
  readonly payloadType: number
  /** Parameters of the codec, as the browser names them. */
  readonly format: string | undefined
  /** Layers of a simulcast, as the browser names them. */
  readonly rids: ReadonlyArray<string>
  readonly ssrcs: ReadonlyArray<number>
  readonly extensions: ExtensionIds
}

export interface Offer {
  readonly fragment: string
  readonly fingerprint: string
  /** In the order of the offer; `undefined` for a section that is refused, with its media line. */
  readonly sections: ReadonlyArray<{
    readonly media: string
    readonly mid: string
    readonly section: Section | undefined
  }>
}

const MOST_BYTES = 131_072
const MOST_SECTIONS = 40
const MOST_FORMAT = 256

/** Codecs that are taken, as offers name them: in rooms those that each browser has (RFC 7874, RFC 7742). */
export type Codecs = Readonly<Record<MediaKind, string>>
const ROOM_CODECS: Codecs = { audio: "opus/48000", video: "vp8/90000" }

export const EXTENSION_NAMES: Readonly<Record<keyof ExtensionIds, string>> = {
  mid: "urn:ietf:params:rtp-hdrext:sdes:mid",
  rid: "urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id",
  audioLevel: "urn:ietf:params:rtp-hdrext:ssrc-audio-level",
  absSendTime: "http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time",
}

type Lines = ReadonlyArray<string>

const valuesOf = (lines: Lines, name: string): ReadonlyArray<string> =>
  lines.filter((line) => line.startsWith(`a=${name}:`)).map((line) => line.slice(name.length + 3))

/** @throws Malformed */
const firstOf = (parts: ReadonlyArray<Lines>, name: string): string => {
  const value = parts.flatMap((lines) => valuesOf(lines, name)).at(0)
  if (value === undefined) throw new Malformed(`The offer has no ${name}.`)
  return value
}

const extensionsOf = (lines: Lines): ExtensionIds => {
  const ids: { -readonly [name in keyof ExtensionIds]: number } = {}
  for (const value of valuesOf(lines, "extmap")) {
    const [id = "", uri] = value.split(" ")
    // The one-byte form has ids up to 14.
    for (const name of Object.keys(EXTENSION_NAMES) as Array<keyof ExtensionIds>)
      if (EXTENSION_NAMES[name] === uri && Number.parseInt(id, 10) <= 14) ids[name] = Number.parseInt(id, 10)
  }
  return ids
}

const formatOf = (lines: Lines, codec: string): string | undefined => {
  const payloadType = `${Number.parseInt(codec, 10)} `
  const format = valuesOf(lines, "fmtp").find((value) => value.startsWith(payloadType))
  return format === undefined || format.length > MOST_FORMAT ? undefined : format.slice(payloadType.length)
}

/** `undefined` for what is neither sound nor picture, or has none of the codecs. */
const sectionOf = (lines: Lines, mid: string, codecs: Codecs): Section | undefined => {
  const [media = ""] = lines
  const kind = /^m=(audio|video) (?!0 )/.exec(media)?.[1] as Section["kind"] | undefined
  if (kind === undefined || lines.includes("a=inactive")) return undefined
  const found = valuesOf(lines, "rtpmap").filter((value) => lowerAscii(value).split(" ")[1]?.startsWith(codecs[kind]))
  // H.264 comes in pictures that need several packets (RFC 6184, 6.3), where it is offered in both ways.
  const codec = found.find((value) => formatOf(lines, value)?.includes("packetization-mode=1")) ?? found[0]
  if (codec === undefined) return undefined
  return {
    mid,
    kind,
    isSent: !lines.includes("a=recvonly"),
    payloadType: Number.parseInt(codec, 10),
    format: formatOf(lines, codec),
    rids: valuesOf(lines, "rid").flatMap((value) => /^(\w{1,16}) send/.exec(value)?.[1] ?? []),
    ssrcs: [...new Set(valuesOf(lines, "ssrc").map((value) => Number.parseInt(value, 10)))],
    extensions: extensionsOf(lines),
  }
}

/** @throws Malformed */
export const readOffer = (sdp: string, codecs = ROOM_CODECS): Offer => {
  if (sdp.length > MOST_BYTES) throw new Malformed("The offer is too long.")
  const parts = sdp.split(/\r?\n(?=m=)/).map((part) => part.split(/\r?\n/))
  const [session = [], ...media] = parts
  if (media.length === 0 || media.length > MOST_SECTIONS) throw new Malformed("The offer has no section, or too many.")
  const [first = []] = media
  const [algorithm, fingerprint] = lowerAscii(firstOf([session, first], "fingerprint")).split(" ")
  if (algorithm !== "sha-256" || fingerprint === undefined) throw new Malformed("The fingerprint is none of SHA-256.")
  return {
    fragment: firstOf([session, first], "ice-ufrag"),
    fingerprint,
    sections: media.map((lines) => {
      const mid = firstOf([lines], "mid")
      if (!/^[\w-]{1,16}$/.test(mid)) throw new Malformed("The name of a section is too long.")
      return { media: lines[0] ?? "", mid, section: sectionOf(lines, mid, codecs) }
    }),
  }
}
