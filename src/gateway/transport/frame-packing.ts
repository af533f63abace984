/** Packs dispatches into frames: a single object alone, several as an array, and no frame longer than a socket accepts at once. */

/** A frame is closed when it reaches this length, in UTF-16 units. */
const FRAME_LENGTH = 65_536

const frameOf = (dispatches: ReadonlyArray<string>): string =>
  dispatches.length === 1 ? (dispatches[0] ?? "[]") : `[${dispatches.join(",")}]`

export const framesOf = (dispatches: ReadonlyArray<string>): ReadonlyArray<string> => {
  const frames: string[] = []
  let open: string[] = []
  let length = 0
  for (const dispatch of dispatches) {
    open.push(dispatch)
    length += dispatch.length
    if (length < FRAME_LENGTH) continue
    frames.push(frameOf(open))
    open = []
    length = 0
  }
  if (open.length > 0) frames.push(frameOf(open))
  return frames
}
