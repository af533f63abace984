/**
 * A speech recogniser on loopback with the interface of OpenAI. It decodes the sound that comes, and hears a tone of at least a fifth of a
 * second as one segment, whose text is the pitch in tens of hertz.
 */
import { once } from "node:events"
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { keepAlive } from "./keep-alive.ts"

export interface AskedRecogniser {
  readonly headers: IncomingHttpHeaders
  readonly path: string
  /** The fields of the form, without the file. */
  readonly fields: { readonly [name: string]: string }
  readonly file: { readonly name: string; readonly type: string; readonly bytes: Uint8Array }
  readonly segments: ReadonlyArray<HeardTone>
  /** `performance.now()` */
  readonly at: number
}

interface HeardTone {
  readonly id: number
  readonly start: number
  readonly end: number
  readonly text: string
}

export interface TestRecogniser {
  readonly url: string
  readonly asked: ReadonlyArray<AskedRecogniser>
  readonly stop: () => Promise<void>
}

const WINDOW_SECONDS = 0.05
const LOUD = 1000
const SHORTEST_SECONDS = 0.2

interface Pcm {
  readonly rate: number
  readonly samples: Int16Array
}

/** 16-bit mono; throws on everything else, and on sizes that are not those of the file. */
const pcmOf = (file: Uint8Array): Pcm => {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  const text = (at: number): string => Buffer.from(file.subarray(at, at + 4)).toString("latin1")
  const [format, channels, bits] = [view.getUint16(20, true), view.getUint16(22, true), view.getUint16(34, true)]
  if (`${text(0)}${text(8)}${text(36)}` !== "RIFFWAVEdata" || format !== 1 || channels !== 1 || bits !== 16) {
    throw new Error("no WAV file of 16-bit samples in mono")
  }
  if (view.getUint32(4, true) !== file.byteLength - 8 || view.getUint32(40, true) !== file.byteLength - 44) {
    throw new Error("the sizes of the head are wrong")
  }
  return { rate: view.getUint32(24, true), samples: new Int16Array(file.slice(44).buffer) }
}

const isLoud = (window: Int16Array): boolean => window.some((sample) => Math.abs(sample) > LOUD)

/** Of the middle of a tone: its edges may have silence. */
const pitchOf = (tone: Int16Array, rate: number): number => {
  const samples = tone.subarray(tone.length / 4, (tone.length * 3) / 4)
  let crossings = 0
  for (let n = 1; n < samples.length; n++) if ((samples[n - 1] ?? 0) < 0 !== (samples[n] ?? 0) < 0) crossings++
  return 10 * Math.round((crossings * rate) / (20 * samples.length))
}

const tonesIn = (file: Uint8Array): ReadonlyArray<HeardTone> => {
  const { rate, samples } = pcmOf(file)
  const size = Math.round(rate * WINDOW_SECONDS)
  const tones: HeardTone[] = []
  let from: number | undefined
  for (let at = 0; at <= samples.length; at += size) {
    const loud = at < samples.length && isLoud(samples.subarray(at, at + size))
    if (loud) from ??= at
    else if (from !== undefined) {
      const [start, end] = [from / rate, Math.min(at, samples.length) / rate]
      const text = ` ${pitchOf(samples.subarray(from, at), rate)} Hz`
      if (end - start >= SHORTEST_SECONDS) tones.push({ id: tones.length, start, end, text })
      from = undefined
    }
  }
  return tones
}

/** Answers a request itself; returns false to leave it to the recogniser. */
export type Misbehave = (response: ServerResponse, asked: AskedRecogniser, nth: number) => boolean

export const startRecogniser = async (misbehave: Misbehave = () => false): Promise<TestRecogniser> => {
  const asked: AskedRecogniser[] = []
  const server = createServer(async (request, response) => {
    const chunks: Uint8Array[] = []
    try {
      for await (const chunk of request) chunks.push(chunk as Uint8Array)
    } catch {
      // The server that asked was killed.
      return
    }
    const form = await new Response(Buffer.concat(chunks), {
      headers: { "content-type": request.headers["content-type"] ?? "" },
    }).formData()
    const file = form.get("file") as File
    const bytes = new Uint8Array(await file.arrayBuffer())
    const fields = Object.fromEntries([...form].filter(([, value]) => typeof value === "string")) as {
      readonly [name: string]: string
    }
    const one: AskedRecogniser = {
      headers: request.headers,
      path: request.url ?? "",
      fields,
      file: { name: file.name, type: file.type, bytes },
      segments: tonesIn(bytes),
      at: performance.now(),
    }
    asked.push(one)
    if (misbehave(response, one, asked.length)) return
    response.setHeader("content-type", "application/json")
    response.end(answerTo(one))
  })
  keepAlive(server)
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked,
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    },
  }
}

export const answerTo = ({ segments }: AskedRecogniser): string =>
  JSON.stringify({
    task: "transcribe",
    language: "english",
    text: segments.map(({ text }) => text).join(""),
    segments: segments.map((one) => ({ ...one, tokens: [1, 2], avg_logprob: -0.2, no_speech_prob: 0.01 })),
  })
