/** The broadcast of the demo: a file that is pushed as an encoder does, watched while it runs, and played when it is over. */
import { readFile } from "node:fs/promises"
import { type Expectations, within } from "./expectations.ts"
import type { Caller, Rest } from "./rest.ts"

/** Four seconds of picture and sound, as ffmpeg pushes them. The compiled file lies two folders below the root. */
const TALK = new URL("../../demo/talk.mp4", import.meta.url)

interface Demo {
  readonly rest: Rest
  readonly key: Caller
  readonly eventId: string
  readonly expectations: Expectations
  readonly say: (line: string) => void
}

const segmentsIn = (playlist: string): number => playlist.split("#EXTINF").length - 1

const textAt = async (url: string): Promise<string> => {
  const answer = await fetch(url)
  return answer.ok ? answer.text() : ""
}

const plays = async (url: string): Promise<boolean> => {
  const answer = await fetch(url, { headers: { range: "bytes=0-15" } })
  const head = Buffer.from(await answer.arrayBuffer()).toString("latin1")
  return answer.status === 206 && head.slice(4, 8) === "ftyp"
}

/** Goes live, pushes the talk twice, and captions it. */
export const broadcastTalk = async (
  { rest, key, eventId, expectations, say }: Demo,
  phaseId: string,
): Promise<void> => {
  const { playbackUrl } = await rest.call("POST", `/v1/phases/${phaseId}/broadcast/start`, key, {})
  const { streamUrl } = await rest.call("POST", `/v1/phases/${phaseId}/broadcast/ingest`, key)
  const talk = await readFile(TALK)
  for (const _ of [1, 2]) {
    const { status } = await fetch(streamUrl, { method: "PUT", body: talk })
    expectations.equal("the encoder's bytes are taken", status, 204)
  }
  const t0 = 1000
  const said = { final: true, speaker: "Harriet Host", lang: "en", t0, t1: t0 + 2000, text: "Welcome to the demo" }
  await rest.call("POST", `/v1/events/${eventId}/transcript-segments`, key, { segments: [{ segment: "1", ...said }] })
  const live = await textAt(playbackUrl)
  expectations.expect("viewers watch the broadcast while it runs", segmentsIn(live) >= 3)
  say(`a broadcast is live: ${segmentsIn(live)} segments at ${playbackUrl}`)
}

/** What is left of the event. */
export const checkRecording = async ({ rest, key, eventId, expectations, say }: Demo): Promise<void> => {
  const recording = async () => (await rest.call("GET", `/v1/events/${eventId}/recordings`, key))["recordings"][0]
  await within(async () => (await recording())?.status === "ready")
  const { id, durationMs, playbackUrl, downloadUrl } = await recording()
  expectations.expect("the recording is there when the broadcast has ended", durationMs > 7900)
  expectations.expect("it plays as one playlist", segmentsIn(await textAt(playbackUrl)) >= 3)
  expectations.expect("it can be downloaded", await plays(downloadUrl))
  const made = await rest.call("POST", `/v1/recordings/${id}/clips`, key, { startMs: 1000, endMs: 3000 })
  const clip = () => rest.call("GET", `/v1/clips/${made["id"]}`, key)
  await within(async () => (await clip())["status"] !== "processing")
  const cut = await clip()
  expectations.expect("a clip of it is cut and plays", cut["status"] === "ready" && (await plays(cut["playbackUrl"])))
  const transcript = await rest.call("GET", `/v1/events/${eventId}/transcript`, key)
  expectations.equal("the captions are the event's transcript", transcript["segments"].length, 1)
  const recap = await rest.call("GET", `/v1/public/events/${eventId}/recap`, {})
  expectations.equal("the recap counts what was said", recap["summary"].speakers[0].words, 4)
  say(`recording of ${(durationMs / 1000).toFixed(1)} s, a clip and a transcript: ${downloadUrl}`)
}
