/** The answer to an offer: a lite agent of ICE with one address, a passive side of DTLS. */
import type { ExtensionIds, MediaKind } from "../rtp/packet.ts"
import { EXTENSION_NAMES, type Offer, type Section } from "./offer.ts"

interface Candidate {
  readonly protocol: "udp" | "tcp"
  readonly address: string
  readonly port: number
}

export interface AnswerFacts {
  readonly fragment: string
  readonly password: string
  /** SHA-256 of the certificate, `AB:CD:…`. */
  readonly fingerprint: string
  readonly candidates: ReadonlyArray<Candidate>
  /** The source that the server sends in the section with this name. */
  readonly sourceOf: (mid: string) => number
  readonly forms: Readonly<Record<MediaKind, Form>>
}

/** A codec, and the parameters that are asked for. */
interface Form {
  readonly codec: string
  readonly formatOf: (section: Section) => string | undefined
}

const FEEDBACK = { audio: [], video: ["nack", "nack pli", "ccm fir", "goog-remb"] } as const

export const ROOM_FORMS: AnswerFacts["forms"] = {
  // Discontinuous transmission: silence costs next to nothing.
  audio: { codec: "opus/48000/2", formatOf: () => "minptime=10;useinbandfec=1;usedtx=1" },
  video: { codec: "VP8/90000", formatOf: () => undefined },
}

/** `tcptype passive`: the browser connects (RFC 6544). UDP comes first. */
const candidateLine = ({ protocol, address, port }: Candidate, at: number): string =>
  `a=candidate:${at + 1} 1 ${protocol} ${(protocol === "udp" ? 2_130_706_431 : 1_671_430_143) - at} ${address} ${port} typ host${protocol === "tcp" ? " tcptype passive" : ""}`

const sectionLines = (section: Section, facts: AnswerFacts): ReadonlyArray<string> => {
  const { kind, mid, payloadType, rids, extensions, isSent } = section
  const ids = Object.entries(extensions) as ReadonlyArray<[keyof ExtensionIds, number]>
  const { codec, formatOf } = facts.forms[kind]
  const format = formatOf(section)
  // A source of its own tells the browser which section a packet is of.
  const named = isSent ? ids : ids.filter(([name]) => name === "absSendTime")
  return [
    `m=${kind} 9 UDP/TLS/RTP/SAVPF ${payloadType}`,
    "c=IN IP4 0.0.0.0",
    "a=rtcp-mux",
    "a=rtcp-rsize",
    `a=mid:${mid}`,
    `a=${isSent ? "recvonly" : "sendonly"}`,
    `a=ice-ufrag:${facts.fragment}`,
    `a=ice-pwd:${facts.password}`,
    `a=fingerprint:sha-256 ${facts.fingerprint}`,
    "a=setup:passive",
    `a=rtpmap:${payloadType} ${codec}`,
    ...(format === undefined ? [] : [`a=fmtp:${payloadType} ${format}`]),
    ...FEEDBACK[kind].map((feedback) => `a=rtcp-fb:${payloadType} ${feedback}`),
    ...named.map(([name, id]) => `a=extmap:${id} ${EXTENSION_NAMES[name]}`),
    ...(isSent
      ? rids.map((rid) => `a=rid:${rid} recv`)
      : [`a=msid:${mid} ${mid}`, `a=ssrc:${facts.sourceOf(mid)} cname:sfu`]),
    ...(isSent && rids.length > 0 ? [`a=simulcast:recv ${rids.join(";")}`] : []),
  ]
}

export const answerTo = ({ sections }: Offer, facts: AnswerFacts): string => {
  const accepted = sections.flatMap(({ section }) => (section === undefined ? [] : [section.mid]))
  const lines = [
    "v=0",
    "o=- 1 1 IN IP4 0.0.0.0",
    "s=-",
    "t=0 0",
    "a=ice-lite",
    `a=group:BUNDLE ${accepted.join(" ")}`,
    ...sections.flatMap(({ media, mid, section }) =>
      section === undefined
        ? [media.replace(/ \d+ /, " 0 "), "c=IN IP4 0.0.0.0", `a=mid:${mid}`, "a=inactive"]
        : [
            ...sectionLines(section, facts),
            // All sections of the bundle have the path of the first one (RFC 9143, 9), so that the answer fits into a frame.
            ...(mid === accepted[0] ? [...facts.candidates.map(candidateLine), "a=end-of-candidates"] : []),
          ],
    ),
  ]
  return `${lines.join("\r\n")}\r\n`
}
