/** Sounds that need no encoder: PCM in a WAV file (RIFF), in mono. */
import { randomFillSync } from "node:crypto"

const headed = (samples: number, rate: number): Buffer => {
  const file = Buffer.alloc(44 + samples * 2)
  file.write("RIFF", 0, "latin1")
  file.writeUInt32LE(36 + samples * 2, 4)
  file.write("WAVEfmt ", 8, "latin1")
  file.writeUInt32LE(16, 16)
  file.writeUInt16LE(1, 20)
  file.writeUInt16LE(1, 22)
  file.writeUInt32LE(rate, 24)
  file.writeUInt32LE(rate * 2, 28)
  file.writeUInt16LE(2, 32)
  file.writeUInt16LE(16, 34)
  file.write("data", 36, "latin1")
  file.writeUInt32LE(samples * 2, 40)
  return file
}

/** A tone of 440 Hz. */
export const wavOf = (seconds: number, rate = 8000): Uint8Array => {
  const samples = Math.round(seconds * rate)
  const file = headed(samples, rate)
  for (let n = 0; n < samples; n++)
    file.writeInt16LE(Math.round(8000 * Math.sin((2 * Math.PI * 440 * n) / rate)), 44 + n * 2)
  return file
}

interface Tone {
  readonly from: number
  readonly to: number
  readonly hertz: number
}

/** Silence with tones, whose times are in seconds. */
export const tonesOf = (seconds: number, tones: ReadonlyArray<Tone>, rate = 8000): Uint8Array<ArrayBuffer> => {
  const file = headed(Math.round(seconds * rate), rate)
  for (const { from, to, hertz } of tones) {
    for (let n = Math.round(from * rate); n < Math.round(to * rate); n++)
      file.writeInt16LE(Math.round(8000 * Math.sin((2 * Math.PI * hertz * n) / rate)), 44 + n * 2)
  }
  return Uint8Array.from(file)
}

/** Noise, of so many bytes: no two parts of it are equal. `bytes`: an even number. */
export const noiseOf = (bytes: number): Uint8Array => {
  const file = headed((bytes - 44) / 2, 48_000)
  randomFillSync(file, 44)
  return file
}
