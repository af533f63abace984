/** Bytes of a long text that is written piece by piece. */
import { inSlices } from "./slices.ts"

const BLOCK_CHARACTERS = 64 * 1024

export class TextBytes {
  #block = ""
  readonly #blocks: Buffer[] = []
  #size = 0

  add(text: string): void {
    this.#block += text
    if (this.#block.length >= BLOCK_CHARACTERS) this.#close()
  }

  /** All bytes, copied in slices. */
  async joined(): Promise<Buffer> {
    this.#close()
    const bytes = Buffer.allocUnsafe(this.#size)
    const blocks = this.#blocks
    const copying = function* (): Generator<void, void> {
      let at = 0
      for (const block of blocks) {
        at += block.copy(bytes, at)
        yield
      }
    }
    await inSlices(copying())
    return bytes
  }

  #close(): void {
    const block = Buffer.from(this.#block)
    this.#blocks.push(block)
    this.#size += block.byteLength
    this.#block = ""
  }
}
