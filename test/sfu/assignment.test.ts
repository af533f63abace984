/** The layer of each picture within a bandwidth, and the slot of each person: expected by hand. */
import { expect, test } from "vitest"
import { layersWithin, placed } from "../../src/sfu/forwarding/assignment.ts"
import { Layer } from "../../src/sfu/forwarding/layer.ts"
import { Publication } from "../../src/sfu/forwarding/publication.ts"

const BEGIN = 10_000
const NOW = BEGIN + 1000

/** A layer in which so many bits arrived in the last second. */
const layerOf = (bits: number): Layer => {
  const layer = new Layer(1, "video")
  const packet = (bytes: number) => ({
    ssrc: 1,
    sequence: 1,
    timestamp: 0,
    hasMarker: true,
    payloadType: 96,
    mid: undefined,
    rid: undefined,
    level: undefined,
    payload: Buffer.alloc(bytes),
  })
  layer.add(packet(0), 1, BEGIN)
  layer.add(packet(bits / 8), 2, NOW)
  return layer
}

/** A camera in three layers of 150, 500 and 1,500 kbit/s. */
const cameraOf = (owner: string): Publication => {
  const camera = new Publication(owner, "camera")
  camera.layers.push(layerOf(152_000), layerOf(504_000), layerOf(1_504_000))
  return camera
}

const [ann, ben, cem] = ["ann", "ben", "cem"].map(cameraOf) as [Publication, Publication, Publication]

const chosen = (bitsPerSecond: number, heights: readonly [number, number, number], now = NOW) => {
  const wanted = [ann, ben, cem].map((publication, at) => ({ publication, height: heights[at] ?? 0 }))
  const layers = layersWithin(wanted, bitsPerSecond, now)
  return wanted.map(({ publication }) => {
    const layer = layers.get(publication)
    return layer === undefined ? null : publication.layers.indexOf(layer)
  })
}

test.each([
  ["the height of each tile decides where there is bandwidth", 9_000_000, [100, 300, 720], [0, 1, 2]],
  ["the most important picture grows first", 456_000 + 1_352_000, [720, 720, 720], [2, 0, 0]],
  ["a picture that cannot grow leaves the bandwidth to the next one", 456_000 + 352_000, [720, 300, 300], [0, 1, 0]],
  ["pictures that do not fit are left out", 310_000, [720, 720, 720], [0, 0, null]],
  ["the first one is shown on any path", 1000, [720, 720, 720], [0, null, null]],
] as const)("%s", (_, bitsPerSecond, heights, expected) => {
  expect(chosen(bitsPerSecond, heights)).toEqual(expected)
})

test("a layer that stopped arriving is not chosen", () => {
  expect(chosen(9_000_000, [720, 720, 720], NOW + 2000)).toEqual([null, null, null])
})

test("a person who is shown keeps the slot, and those who wait take the others in order", () => {
  expect(placed([ben, undefined, ann], [cem, ann])).toEqual([cem, undefined, ann])
  expect(placed([undefined, ben], [ann, ben, cem])).toEqual([ann, ben])
  expect(placed([ann], [ben, ann])).toEqual([ben])
})
