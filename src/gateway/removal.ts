/** Reads the one dispatch the gateway itself must understand: that a participant was removed. Read only after a hole in the feed. */

export interface Removal {
  readonly participantId: string
  readonly block: boolean
}

const MARK = '"t":"participant.removed"'

export const removalIn = (stream: string, frame: string): Removal | undefined => {
  if (stream !== "staff" || !frame.includes(MARK)) return undefined
  const { t, d } = JSON.parse(frame) as { readonly t: string; readonly d: Removal }
  return t === "participant.removed" ? d : undefined
}
