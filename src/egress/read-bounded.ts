/**
 * Text of a body. A sender that does not stop is cut off: beyond `mostBytes` the promise rejects with what `tooLong` makes.
 */
export const readBounded = async (
  body: AsyncIterable<Uint8Array>,
  mostBytes: number,
  tooLong: () => Error,
): Promise<string> => {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.byteLength
    if (size > mostBytes) throw tooLong()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString("utf8")
}
