/** An announcement as our gateway sends it, for the peers to send too. */
import { randomUUID } from "node:crypto"

/** Makes a dispatch of about 300 bytes. */
export const TEXT = "The keynote begins in two minutes."

const BY = { participantId: randomUUID(), name: "Guest 00000" }

export const dispatchOf = (s: number) => {
  const ts = Date.now()
  const d = { id: randomUUID(), text: TEXT, by: BY, at: new Date(ts).toISOString() }
  return { op: 0, st: "event", s, v: s, ts, t: "announcement", d }
}
