/** Waveform of a sound: the lowest and highest sample in each of many equal intervals. */

/** Number of intervals per recording. */
export const PEAKS = 1000

/** Stored form. Peaks are from -1 to 1, in pairs of lowest and highest. */
export interface Waveform {
  readonly version: 1
  readonly durationMs: number
  readonly peaks: ReadonlyArray<readonly [number, number]>
}

const FULL_SCALE = 32_768
const rounded = (sample: number): number => Math.round((sample / FULL_SCALE) * 1000) / 1000

/** Reads samples of 16 bits (little endian, one channel), split anywhere. */
export class PeakMeter {
  readonly #samplesEach: number
  readonly #low = new Int16Array(PEAKS)
  readonly #high = new Int16Array(PEAKS)
  #samples = 0
  /** First byte of an incomplete sample. */
  #half: number | undefined

  /** `samples` is the expected total; further samples count for the last interval. */
  constructor(samples: number) {
    this.#samplesEach = Math.max(1, samples / PEAKS)
  }

  get isEmpty(): boolean {
    return this.#samples === 0
  }

  add(bytes: Uint8Array): void {
    let at = 0
    if (this.#half !== undefined && bytes.length > 0) {
      this.#take(this.#half | ((bytes[0] ?? 0) << 8))
      this.#half = undefined
      at = 1
    }
    for (; at + 1 < bytes.length; at += 2) this.#take((bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8))
    if (at < bytes.length) this.#half = bytes[at]
  }

  waveform(durationMs: number): Waveform {
    const peaks = Array.from(this.#low, (low, at) => [rounded(low), rounded(this.#high[at] ?? 0)] as const)
    return { version: 1, durationMs, peaks }
  }

  #take(word: number): void {
    const sample = (word << 16) >> 16
    const at = Math.min(PEAKS - 1, Math.floor(this.#samples / this.#samplesEach))
    this.#samples++
    if (sample < (this.#low[at] ?? 0)) this.#low[at] = sample
    if (sample > (this.#high[at] ?? 0)) this.#high[at] = sample
  }
}
