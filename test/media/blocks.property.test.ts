/** Bytes come out of the blocks as they went in, also while earlier ones are still being written. */
import fc from "fast-check"
import { expect, test } from "vitest"
import { BlockPool, Blocks, type TakenBlocks } from "../../src/media/storage/blocks.ts"

const BLOCK = 16

const steps = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constantFrom("add" as const),
      bytes: fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: BLOCK - 3, max: 3 * BLOCK })),
    }),
    fc.record({ kind: fc.constantFrom("take" as const), most: fc.integer({ min: 1, max: 3 }) }),
    fc.record({ kind: fc.constantFrom("give" as const) }),
  ),
  { maxLength: 24 },
)

/** Bytes that tell where they stood. */
const bytesFrom = (start: number, count: number): Uint8Array =>
  Uint8Array.from({ length: count }, (_, index) => (((start + index) * 2_654_435_761) >>> 13) & 0xff)

test("bytes are taken in the order in which they were added, and stay as they are until they are given back", () => {
  fc.assert(
    fc.property(steps, (all) => {
      const blocks = new Blocks(new BlockPool(BLOCK, 2))
      const under: Array<TakenBlocks & { readonly from: number }> = []
      let added = 0
      let taken = 0
      const look = ({ chunks, from }: TakenBlocks & { readonly from: number }): void => {
        const held = Buffer.concat(chunks)
        expect(held.equals(bytesFrom(from, held.byteLength))).toBe(true)
      }
      const take = (most: number): void => {
        const some = { ...blocks.take(most), from: taken }
        expect(some.chunks.length).toBeLessThanOrEqual(most)
        taken += some.chunks.reduce((sum, { byteLength }) => sum + byteLength, 0)
        under.push(some)
      }
      for (const step of all) {
        if (step.kind === "add") {
          const chunk = bytesFrom(added, step.bytes)
          blocks.add(chunk)
          // The caller's memory is another chunk's now.
          chunk.fill(0)
          added += step.bytes
        } else if (step.kind === "take") take(step.most)
        else {
          const oldest = under.shift()
          if (oldest === undefined) continue
          look(oldest)
          blocks.give(oldest)
        }
        expect(blocks.bytes).toBe(added - taken)
      }
      while (blocks.bytes > 0) take(2)
      under.forEach(look)
      expect(taken).toBe(added)
    }),
  )
})
