/** I2: the store's streams are those that sockets received, number by number, and every client is at their end. */

import { sleep } from "../chance.ts"
import { contentOf } from "../ledger/streams.ts"
import type { Check } from "./inspection.ts"

const LEVEL_MS = 60_000

type Stored = { readonly stream: string; readonly s: number; readonly frame: string }

export const checkStreams: Check = async ({ sql, ledger, streams, crowd }) => {
  for (const { eventId } of crowd.scenes) {
    const [row] = await sql<{ history: string }[]>`select history from live_events where event_id = ${eventId}`
    const epoch = row?.history ?? ""
    const heads = streams.heads.filter((head) => head.eventId === eventId)
    if (heads.some((head) => head.epoch !== epoch)) ledger.violate("I2", "a live event has had two histories")
    const stored = await sql<Stored[]>`
      select stream, s::int as s, frame from publications where event_id = ${eventId}`
    // Of what is older than two minutes the store keeps how far each stream had come.
    const forgotten = await sql<Pick<Stored, "stream" | "s">[]>`
      select stream, s::int as s from stream_heads where event_id = ${eventId}`
    const known = [...stored, ...forgotten]
    for (const { stream, s } of heads) {
      const last = Math.max(0, ...known.filter((one) => one.stream === stream).map((one) => one.s))
      const kind = stream.split(":")[0]
      if (last < s) ledger.violate("I2", `sockets heard of more on a stream ${kind} than is stored`)
    }
    for (const { stream, s, frame } of stored) {
      const received = streams.contentAt({ eventId, epoch, stream }, s)
      if (received !== undefined && received !== contentOf(frame)) {
        ledger.violate("I2", `a number of ${stream.split(":")[0]} is stored with another content than was heard`)
      }
    }
  }
  ledger.count("numbers of event and staff that no socket heard", streams.missing("event") + streams.missing("staff"))
}

/** Every client is connected and has received the last dispatch of its event. */
export const checkLevel: Check = async ({ ledger, crowd }) => {
  for (const { hosts, people, modality } of crowd.scenes) {
    const everyone = [...hosts, ...people]
    const deadline = Date.now() + LEVEL_MS
    const isLevel = () => everyone.every((one) => one.isReady && one.eventCursor === hosts[0]?.eventCursor)
    while (!isLevel() && Date.now() < deadline) await sleep(100)
    if (isLevel()) continue
    const away = everyone.filter(({ isReady }) => !isReady).length
    const behind = everyone.filter((one) => one.isReady && one.eventCursor !== hosts[0]?.eventCursor).length
    const all = everyone.length
    if (away > 0) ledger.violate("liveness", `${away} of ${all} sockets of the ${modality} are not back at the end`)
    if (behind > 0)
      ledger.violate("I2", `${behind} of ${all} sockets of the ${modality} do not stand where its host stands`)
  }
}
