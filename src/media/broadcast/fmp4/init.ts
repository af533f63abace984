/** Init segment of a stream: `ftyp` and `moov` of one picture, one sound, or both. */
import { createHash } from "node:crypto"
import { byCodeUnits } from "../../../model/text/compared.ts"
import { atMostOne, type Box, boxesIn, childrenOf, exactlyOne, Fields, viewOf, within } from "./boxes.ts"
import { type Codec, codecOf } from "./codecs.ts"
import { EncoderRefused } from "./refusal.ts"

export interface SampleDefaults {
  readonly duration: number
  readonly size: number
  readonly flags: number
}

export interface Track {
  readonly id: number
  readonly kind: "video" | "audio"
  /** Codec name as in a playlist's `CODECS`. */
  readonly codec: string
  /** Ticks per second. */
  readonly timescale: number
  /** Picture size; `null` for sound. */
  readonly size: { readonly width: number; readonly height: number } | null
  readonly defaults: SampleDefaults
}

export interface Init {
  readonly bytes: Uint8Array
  /** Tracks, video first. */
  readonly tracks: ReadonlyArray<Track>
  /**
   * Hash of everything that reading and decoding fragments needs: the `stsd` of each track, its timescale, defaults and edits. An init
   * describes the fragments of every init with the same identity, once they have its track numbers. The bytes of an init are no
   * identity: MediaRecorder writes dates into them, and numbers its tracks as their first samples come.
   */
  readonly identity: string
}

/** Reads version and flags; version 1 has times of eight bytes. */
const fullBox = (view: DataView, box: Box): { readonly fields: Fields; readonly version: number } => {
  const fields = new Fields(view, box)
  const version = fields.u8()
  return { fields: fields.skip(3), version }
}

const trackIdOf = (view: DataView, tkhd: Box): number => {
  const { fields, version } = fullBox(view, tkhd)
  return fields.skip(version === 1 ? 16 : 8).u32()
}

const timescaleOf = (view: DataView, mdhd: Box): number => {
  const { fields, version } = fullBox(view, mdhd)
  const timescale = fields.skip(version === 1 ? 16 : 8).u32()
  if (timescale === 0) throw new EncoderRefused("damaged", "The stream is damaged: a track has no timescale.")
  return timescale
}

/** Refuses tracks whose media are declared to be in another file or at an address. */
const requireOwnMedia = (view: DataView, dref: Box): void => {
  const { fields } = fullBox(view, dref)
  const count = fields.u32()
  const [reference, second] = boxesIn(view, fields.at, dref.end)
  const isOwn = reference?.type === "url " && (new Fields(view, reference).u32() & 1) === 1
  if (count !== 1 || second !== undefined || !isOwn)
    throw new EncoderRefused("not_fmp4", "The stream refers to media that is elsewhere.")
}

const sampleEntryOf = (view: DataView, stsd: Box): Box => {
  const { fields } = fullBox(view, stsd)
  const count = fields.u32()
  const [entry, second] = boxesIn(view, fields.at, stsd.end)
  if (count !== 1 || entry === undefined || second !== undefined)
    throw new EncoderRefused("codec", "A track has to have exactly one description of its codec.")
  return entry
}

const sizeOf = (view: DataView, entry: Box): { readonly width: number; readonly height: number } => {
  const fields = new Fields(view, entry).skip(24)
  const [width, height] = [fields.u16(), fields.u16()]
  if (width === 0 || height === 0)
    throw new EncoderRefused("damaged", "The stream is damaged: the picture has no size.")
  return { width, height }
}

const HANDLERS: Readonly<Record<Codec["kind"], string>> = { video: "vide", audio: "soun" }

interface Described {
  readonly track: Track
  /** Boxes that belong to the identity, like the fields of the track. */
  readonly boxes: ReadonlyArray<Box>
}

const describe = (view: DataView, trak: Box, trexes: ReadonlyMap<number, SampleDefaults>): Described => {
  const children = childrenOf(view, trak)
  const id = trackIdOf(view, exactlyOne(children, "tkhd"))
  const defaults = trexes.get(id)
  if (defaults === undefined) throw new EncoderRefused("damaged", "The stream is damaged: a track has no defaults.")
  const media = exactlyOne(children, "mdia")
  const handler = new Fields(view, within(view, media, "hdlr")).skip(8).type()
  if (!Object.values(HANDLERS).includes(handler))
    throw new EncoderRefused("tracks", "The stream has a track that is neither picture nor sound.")
  const info = within(view, media, "minf")
  requireOwnMedia(view, within(view, info, "dinf", "dref"))
  const stsd = within(view, info, "stbl", "stsd")
  const entry = sampleEntryOf(view, stsd)
  const { kind, name } = codecOf(view, entry)
  if (HANDLERS[kind] !== handler)
    throw new EncoderRefused("damaged", "The stream is damaged: a codec is in the wrong track.")
  const edits = atMostOne(children, "edts")
  const track: Track = {
    id,
    kind,
    codec: name,
    timescale: timescaleOf(view, within(view, media, "mdhd")),
    size: kind === "video" ? sizeOf(view, entry) : null,
    defaults,
  }
  return { track, boxes: edits === undefined ? [stsd] : [stsd, edits] }
}

const defaultsOf = (view: DataView, mvex: Box): ReadonlyMap<number, SampleDefaults> =>
  new Map(
    childrenOf(view, mvex)
      .filter(({ type }) => type === "trex")
      .map((trex) => {
        const { fields } = fullBox(view, trex)
        const id = fields.u32()
        return [id, { duration: fields.skip(4).u32(), size: fields.u32(), flags: fields.u32() }] as const
      }),
  )

const identityOf = (bytes: Uint8Array, described: ReadonlyArray<Described>): string => {
  const hash = createHash("sha256")
  for (const { track, boxes } of described) {
    hash.update(JSON.stringify([track.kind, track.timescale, track.defaults]))
    for (const { start, end } of boxes) hash.update(bytes.subarray(start, end))
  }
  return hash.digest("hex")
}

/** `bytes` holds exactly `ftyp` and `moov`. Throws `EncoderRefused`. */
export const readInit = (bytes: Uint8Array): Init => {
  const view = viewOf(bytes)
  const moov = exactlyOne(boxesIn(view, 0, bytes.length), "moov")
  const children = childrenOf(view, moov)
  const mvex = atMostOne(children, "mvex")
  if (mvex === undefined)
    throw new EncoderRefused(
      "not_fmp4",
      "The stream is a plain MP4 file: send fragmented MP4 (ffmpeg: -movflags empty_moov).",
    )
  const traks = children.filter(({ type }) => type === "trak")
  // Checked before the tracks are read, which is costly.
  if (traks.length === 0 || traks.length > 2)
    throw new EncoderRefused("tracks", `The stream has ${traks.length} tracks: send one picture, one sound, or both.`)
  const defaults = defaultsOf(view, mvex)
  const described = traks
    .map((trak) => describe(view, trak, defaults))
    .toSorted((a, b) => byCodeUnits(b.track.kind, a.track.kind))
  const [first, second] = described
  if (first?.track.kind === second?.track.kind || first?.track.id === second?.track.id)
    throw new EncoderRefused("tracks", "The stream has two pictures or two sounds: send one of each.")
  return { bytes, tracks: described.map(({ track }) => track), identity: identityOf(bytes, described) }
}
