/** What a media server puts into the bucket for the broadcast of a room, and what viewers get of it. */
import { expect } from "vitest"
import type { Client } from "../gateway/client.ts"
import type { Json } from "./api.ts"
import type { CaptureHouse, LiveRoom } from "./capture-house.ts"
import type { Egress } from "./livekit-server.ts"
import { eventually } from "./wait.ts"

interface Stage extends LiveRoom {
  /** Of the playlist. */
  readonly url: string
  readonly broadcastId: string
}

/** A broadcast of a room with somebody in it. */
export const openStage = async (house: CaptureHouse): Promise<Stage> => {
  const { event, room, host } = await house.openRoom("broadcast", { visibility: "public" })
  house.livekit.enter(room, "host")
  const started = await host.command("broadcast.start", {})
  expect(started).toMatchObject({ ok: true, d: { broadcast: { status: "live" } } })
  const { playbackUrl: url, broadcastId }: Json = started.d.broadcast
  return { event, room, host, url, broadcastId }
}

/** Resolves once staff were sent exactly these reports. */
export const untilReports = (host: Client, ...expected: ReadonlyArray<string>) =>
  eventually(() => {
    const reports = host.received.filter(({ t }) => t === "broadcast.stream")
    return reports.map(({ d }) => `${d.state} ${d.failure?.code ?? "-"}`).join() === expected.join()
  }, `the reports ${expected.join()}`)

/** As the media server writes its playlists: of the last five segments, and of all once it has ended. */
export const writeTake = async (
  house: CaptureHouse,
  egress: Egress,
  count: number,
  isOver = false,
  file?: Uint8Array,
): Promise<void> => {
  const [output] = egress.roomComposite.segmentOutputs
  expect(output.s3.secret).toBe(egress.roomComposite.fileOutputs[0].s3.secret)
  const folder = output.filenamePrefix.slice(0, output.filenamePrefix.lastIndexOf("/") + 1)
  const all = Array.from({ length: count }, (_, index) => `segment_${String(index).padStart(5, "0")}.ts`)
  for (const name of all) await house.put(egress, `${folder}${name}`, `bytes of ${egress.egressId} ${name}`)
  const playlist = (names: ReadonlyArray<string>, first: number) =>
    [
      "#EXTM3U",
      "#EXT-X-VERSION:4",
      "#EXT-X-TARGETDURATION:2",
      `#EXT-X-MEDIA-SEQUENCE:${first}`,
      ...names.flatMap((name) => ["#EXT-X-PROGRAM-DATE-TIME:2026-11-23T10:00:00.123Z", "#EXTINF:2.000,", name]),
      ...(isOver ? ["#EXT-X-ENDLIST"] : []),
      "",
    ].join("\n")
  const first = Math.max(0, count - 5)
  await house.put(egress, output.livePlaylistName, playlist(all.slice(first), first))
  if (!isOver) return
  await house.put(egress, output.playlistName, playlist(all, 0))
  egress.segmentResults = [{ playlistName: output.playlistName, size: "1000" }]
  await house.complete(egress, file)
  await house.tell(egress)
}

export const segmentsIn = (lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.filter((line) => line.startsWith("http"))

export const segmentsAt = async (url: string): Promise<ReadonlyArray<string>> =>
  segmentsIn((await (await fetch(url)).text()).split("\n"))

export const untilSegments = (url: string, count: number) =>
  eventually(async () => (await segmentsAt(url)).length === count, `${count} segments`)
