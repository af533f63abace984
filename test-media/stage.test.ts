/** A broadcast that a media server makes, with segments as ffmpeg cuts them: players read its playlist as one stream. */
import { execFile } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { expect, onTestFinished, test } from "vitest"
import { CaptureHouse } from "../test/support/capture-house.ts"
import type { Egress } from "../test/support/livekit-server.ts"
import { temporaryFolder } from "../test/support/temporary-folder.ts"
import { eventually } from "../test/support/wait.ts"

/** Not synchronous: the server that it reads from is in this process. */
const ffmpeg = (args: ReadonlyArray<string>, command = "ffmpeg") =>
  promisify(execFile)(command, ["-v", "error", ...args])

/** The sound of a stretch is a frame longer than its picture, so that it is counted anew. */
const SOUND = ["-af", "asetpts=N/SR/TB"]

/** Eight seconds in segments of two, and as a file. */
const make = async (egress: Egress, house: CaptureHouse, hertz: number): Promise<void> => {
  const folder = await temporaryFolder()
  const sources = ["testsrc2=size=320x180:rate=25:duration=8", `sine=frequency=${hertz}:duration=8`]
  const codecs = "-c:v libx264 -preset ultrafast -g 50 -c:a aac".split(" ")
  const input = sources.flatMap((source) => ["-f", "lavfi", "-i", source])
  const playlist = join(folder, "index.m3u8")
  const hls = ["-f", "hls", "-hls_time", "2", "-hls_list_size", "0"]
  await ffmpeg([...input, ...codecs, ...hls, "-hls_segment_filename", join(folder, "segment_%05d.ts"), playlist])
  await ffmpeg([...input, ...codecs, "-movflags", "+faststart", join(folder, "room.mp4")])
  const [output] = egress.roomComposite.segmentOutputs
  const at = output.filenamePrefix.slice(0, output.filenamePrefix.lastIndexOf("/") + 1)
  for (const name of readdirSync(folder).filter((file) => file.endsWith(".ts"))) {
    await house.put(egress, `${at}${name}`, readFileSync(join(folder, name)))
  }
  const text = readFileSync(playlist, "utf8")
  await house.put(egress, output.playlistName, text)
  await house.put(egress, output.livePlaylistName, text)
  egress.segmentResults = [{ playlistName: output.playlistName, size: "1000000" }]
  await house.complete(egress, readFileSync(join(folder, "room.mp4")))
  await house.tell(egress)
}

test("two stretches of a stage are one stream of sixteen seconds, which decodes without a complaint", async () => {
  const house = await CaptureHouse.open()
  onTestFinished(() => house.close())
  const { event, room, host } = await house.openRoom("broadcast", { visibility: "public" })
  house.livekit.enter(room, "host")
  const { playbackUrl } = (await host.command("broadcast.start", {})).d.broadcast
  const first = await house.egressOf(room)
  await host.command("broadcast.pause", {})
  await eventually(() => first.status === "EGRESS_ENDING", "the pause")
  await make(first, house, 440)
  await host.command("broadcast.resume", {})
  const second = await house.egressOf(room, 2)
  await host.command("broadcast.stop", {})
  await eventually(() => second.status === "EGRESS_ENDING", "the end")
  await make(second, house, 880)
  const isWhole = async () => (await (await fetch(playbackUrl)).text()).includes("#EXT-X-ENDLIST")
  await eventually(isWhole, "the whole playlist")
  const read = ["-allowed_extensions", "ALL", "-protocol_whitelist", "http,tcp", "-i", playbackUrl]
  const { stderr } = await ffmpeg([
    ...read,
    "-fps_mode",
    "passthrough",
    "-enc_time_base",
    "-1",
    ...SOUND,
    "-f",
    "null",
    "-",
  ])
  expect(stderr).toBe("")
  const entries = ["-count_packets", "-show_entries", "stream=codec_type,nb_read_packets", "-of", "json"]
  const { streams } = JSON.parse((await ffmpeg([...read, ...entries], "ffprobe")).stdout)
  const packets = Object.fromEntries(
    streams.map((stream: { codec_type: string; nb_read_packets: string }) => [
      stream.codec_type,
      Number(stream.nb_read_packets),
    ]),
  )
  // Twice eight seconds of 25 pictures.
  expect(packets["video"]).toBe(400)
  expect(await house.settled(event)).toMatchObject([
    { status: "ready", contentType: "video/mp4", durationMs: expect.closeTo(8000, -2) },
    { status: "ready", contentType: "video/mp4" },
  ])
  await host.cut()
})
