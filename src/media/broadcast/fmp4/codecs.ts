/** Codec names for playlists (RFC 6381 and the bindings of VP9, AV1 and Opus), from the boxes that configure decoders. */
import { type Box, boxesIn, exactlyOne, Fields } from "./boxes.ts"
import { EncoderRefused } from "./refusal.ts"

export interface Codec {
  readonly kind: "video" | "audio"
  readonly name: string
}

const hex = (byte: number): string => byte.toString(16).padStart(2, "0")
const decimal = (value: number): string => String(value).padStart(2, "0")

const avcName = (view: DataView, config: Box): string => {
  const fields = new Fields(view, config).skip(1)
  return `avc1.${hex(fields.u8())}${hex(fields.u8())}${hex(fields.u8())}`
}

/** Whether a colour is the short form's default (1). Unspecified (2) counts as that. */
const isOrdinaryColour = (value: number): boolean => value === 1 || value === 2

const vp9Name = (view: DataView, config: Box): string => {
  const fields = new Fields(view, config).skip(4)
  const [profile, level, packed] = [fields.u8(), fields.u8(), fields.u8()]
  const colours = [fields.u8(), fields.u8(), fields.u8()]
  const [depth, chroma, isFullRange] = [packed >> 4, (packed >> 1) & 7, packed & 1]
  const short = `vp09.${decimal(profile)}.${decimal(level)}.${decimal(depth)}`
  if (chroma <= 1 && isFullRange === 0 && colours.every(isOrdinaryColour)) return short
  return [short, ...[chroma, ...colours, isFullRange].map(decimal)].join(".")
}

const av1Name = (view: DataView, config: Box): string => {
  const fields = new Fields(view, config).skip(1)
  const [first, second] = [fields.u8(), fields.u8()]
  const deep = (second & 0x20) !== 0 ? 12 : 10
  const depth = (second & 0x40) !== 0 ? deep : 8
  const short = `av01.${first >> 5}.${decimal(first & 31)}${(second & 0x80) === 0 ? "M" : "H"}.${decimal(depth)}`
  const [mono, x, y, position] = [(second >> 4) & 1, (second >> 3) & 1, (second >> 2) & 1, second & 3]
  // The long form needs all fields. This box holds no colours, so the defaults are named.
  return mono === 0 && x === 1 && y === 1 ? short : `${short}.${mono}.${x}${y}${position}.01.01.01.0`
}

const ES_DESCRIPTOR = 3
const DECODER_CONFIG = 4
const DECODER_SPECIFIC = 5
const MPEG4_AUDIO = 0x40
/** Object types of AAC LC, with SBR, with PS, and xHE-AAC. */
const AAC_TYPES: ReadonlyArray<number> = [2, 5, 29, 42]

/** Tag and size of a descriptor of ISO 14496-1; the size has seven bits in each of at most four bytes. */
const enterDescriptor = (fields: Fields, wanted: number): void => {
  if (fields.u8() !== wanted) throw new EncoderRefused("codec", "The description of the AAC sound cannot be read.")
  for (let count = 0; count < 4; count++) if ((fields.u8() & 0x80) === 0) return
}

const aacName = (view: DataView, config: Box): string => {
  const fields = new Fields(view, config).skip(4)
  enterDescriptor(fields, ES_DESCRIPTOR)
  const flags = fields.skip(2).u8()
  if ((flags & 0x80) !== 0) fields.skip(2)
  if ((flags & 0x40) !== 0) fields.skip(fields.u8())
  if ((flags & 0x20) !== 0) fields.skip(2)
  enterDescriptor(fields, DECODER_CONFIG)
  if (fields.u8() !== MPEG4_AUDIO) throw new EncoderRefused("codec", "The sound is not AAC: send AAC or Opus.")
  fields.skip(12)
  enterDescriptor(fields, DECODER_SPECIFIC)
  const first = fields.u8()
  const type = first >> 3 === 31 ? 32 + ((first & 7) << 3) + (fields.u8() >> 5) : first >> 3
  if (!AAC_TYPES.includes(type)) throw new EncoderRefused("codec", "This kind of AAC is not taken: send AAC LC.")
  return `mp4a.40.${type}`
}

/** Bytes of a sample entry's fields before its boxes. */
const VIDEO_ENTRY = 78
const AUDIO_ENTRY = 28

interface Known {
  readonly kind: Codec["kind"]
  readonly config: string
  readonly nameOf: (view: DataView, config: Box) => string
}

/** Codecs by type of the sample entry. HEVC is left out: most browsers neither make nor play it. */
const KNOWN: ReadonlyMap<string, Known> = new Map<string, Known>([
  ["avc1", { kind: "video", config: "avcC", nameOf: avcName }],
  ["vp09", { kind: "video", config: "vpcC", nameOf: vp9Name }],
  ["av01", { kind: "video", config: "av1C", nameOf: av1Name }],
  ["mp4a", { kind: "audio", config: "esds", nameOf: aacName }],
  ["Opus", { kind: "audio", config: "dOps", nameOf: () => "opus" }],
])

export const codecOf = (view: DataView, entry: Box): Codec => {
  const known = KNOWN.get(entry.type)
  if (known === undefined) {
    const isEncrypted = entry.type === "encv" || entry.type === "enca"
    const named = /^[\x21-\x7e]{4}$/.test(entry.type) ? entry.type : "of the stream"
    throw new EncoderRefused(
      "codec",
      isEncrypted
        ? "The stream is encrypted."
        : `The codec ${named} is not taken: send H.264, VP9 or AV1, and AAC or Opus.`,
    )
  }
  const { kind, config, nameOf } = known
  const fields = new Fields(view, entry).skip(kind === "video" ? VIDEO_ENTRY : AUDIO_ENTRY)
  return { kind, name: nameOf(view, exactlyOne(boxesIn(view, fields.at, entry.end), config)) }
}
