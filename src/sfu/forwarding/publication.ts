/** A microphone, a camera or a screen of a person, in one layer or several. */
import type { MediaKind } from "../rtp/packet.ts"
import type { Layer } from "./layer.ts"

export type Source = "microphone" | "camera" | "screen"
/** Source that hosts can mute; the screen goes with the camera. */
export type Muted = Exclude<Source, "screen">

/** Sound above this level, in -dBov, counts as speech: a fan is quieter. */
const SPEECH = 50
/** So many loud packets of 20 ms make speech: a cough or a key does not. */
const LOUD_PACKETS = 6

export class Publication {
  readonly owner: string
  readonly source: Source
  /** The layers from small to large. */
  readonly layers: Array<Layer> = []
  #loud = 0
  #spokeAt = Number.NEGATIVE_INFINITY

  constructor(owner: string, source: Source) {
    this.owner = owner
    this.source = source
  }

  get kind(): MediaKind {
    return this.source === "microphone" ? "audio" : "video"
  }

  /** Time of the last speech, in milliseconds; `-Infinity` if there was none. */
  get spokeAt(): number {
    return this.#spokeAt
  }

  /** `level` in -dBov of a packet. */
  hear(level: number, now: number): void {
    this.#loud = level < SPEECH ? Math.min(LOUD_PACKETS, this.#loud + 1) : Math.max(0, this.#loud - 1)
    if (this.#loud === LOUD_PACKETS) this.#spokeAt = now
  }

  /** The layer for a picture of this height, of those that arrive; the browser names them from small to large. */
  layerFor(height: number, now: number): Layer | undefined {
    const sent = this.layers.filter((layer) => layer.isSent(now))
    const wanted = [200, 400].filter((least) => height > least).length
    return sent[Math.min(wanted, sent.length - 1)]
  }

  smallest(now: number): Layer | undefined {
    return this.layerFor(0, now)
  }
}
