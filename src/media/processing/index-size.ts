/** Size of a part of a file, according to its index. */
import { EncodedPacketSink, type Input, type InputTrack } from "mediabunny"

/** Seconds by which pictures may precede those that are shown before them. */
const REORDERED = 1

export const isMedia = (track: InputTrack): boolean => track.isVideoTrack() || track.isAudioTrack()

/** Bytes of the track's packets in the range; counting stops above `upTo`. */
const bytesOf = async (track: InputTrack, start: number, end: number, upTo: number): Promise<number> => {
  const metadataOnly = { metadataOnly: true }
  const sink = new EncodedPacketSink(track)
  const first = (await sink.getKeyPacket(start, metadataOnly)) ?? (await sink.getFirstPacket(metadataOnly))
  if (first === null) return 0
  let bytes = 0
  for await (const { timestamp, byteLength } of sink.packets(first, undefined, metadataOnly)) {
    bytes += byteLength
    if (timestamp > end + REORDERED || bytes > upTo) break
  }
  return bytes
}

/** Whether the packets of the range, in seconds, have at most this many bytes. */
export const isWithin = async (input: Input, start: number, end: number, mostBytes: number): Promise<boolean> => {
  let left = mostBytes
  for (const track of await input.getTracks()) {
    if (isMedia(track) && (await track.getCodec()) !== null) left -= await bytesOf(track, start, end, left)
    if (left < 0) return false
  }
  return true
}
