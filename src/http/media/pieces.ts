/** Ranges of stored files on their way to clients. */
import type { StoredFile } from "../../media/storage/storage.ts"

/** Size of one read. */
export const PIECE = 262_144

/** Reads a range piece by piece for `Exchange.sendStream` into one buffer, of which the engine keeps nothing. */
export const piecesOf = (
  { read }: Pick<StoredFile, "read">,
  start: number,
  bytes: number,
): ((offset: number) => Promise<Uint8Array>) => {
  const piece = Buffer.allocUnsafeSlow(Math.min(PIECE, bytes))
  return async (offset) => {
    const wanted = piece.subarray(0, Math.min(PIECE, bytes - offset))
    return wanted.subarray(0, await read(wanted, start + offset))
  }
}
