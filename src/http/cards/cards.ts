/**
 * Share cards as PNG. A card is rendered once for each version of its event, one at a time, and off the thread that serves requests: the
 * renderer works on a thread of its own (60 ms), and the compression of the pixels too. The renderer gets no address to fetch, and cards show
 * no picture from elsewhere.
 */
import { promisify } from "node:util"
import { crc32, deflate } from "node:zlib"
import { Effect } from "effect"
import { LRUCache } from "lru-cache"
import { Unavailable } from "../../model/errors.ts"
import { FONT_FILES } from "./card-fonts.ts"

/** Some 30 KB each. */
const MOST_KEPT = 300
/** Cards that wait for their turn; further ones are refused. */
const MOST_WAITING = 50

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

const chunk = (type: string, data: Uint8Array): Buffer => {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  check.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, check])
}

const BYTES_PER_PIXEL = 4
/** Eight bits for each of red, green, blue and opacity (PNG, third edition, §11.2.1). */
const FORM = [8, 6, 0, 0, 0]

/** The renderer's own encoder would compress on the thread that serves requests, for 20 ms. */
const pngOf = async (pixels: Buffer, width: number, height: number): Promise<Buffer> => {
  const row = width * BYTES_PER_PIXEL
  // Each line begins with its filter: none, because cards are even.
  const lines = Buffer.alloc((row + 1) * height)
  for (let y = 0; y < height; y++) pixels.copy(lines, y * (row + 1) + 1, y * row, (y + 1) * row)
  const header = Buffer.alloc(8)
  header.writeUInt32BE(width)
  header.writeUInt32BE(height, 4)
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", Buffer.concat([header, Buffer.from(FORM)])),
    chunk("IDAT", await promisify(deflate)(lines)),
    chunk("IEND", Buffer.alloc(0)),
  ])
}

const render = async (svg: string): Promise<Buffer> => {
  // Loaded with the first card: a server that makes none needs no renderer.
  const { renderAsync } = await import("@resvg/resvg-js")
  const font = { fontFiles: [...FONT_FILES], loadSystemFonts: false }
  const { pixels, width, height } = await renderAsync(svg, { font })
  return pngOf(pixels, width, height)
}

const cards = new LRUCache<string, Promise<Buffer>>({ max: MOST_KEPT })
let waiting = 0
let last: Promise<unknown> = Promise.resolve()

/** A card takes 60 ms. A rendering that does not end must not hold up the next ones. */
const RENDER_WITHIN_MS = 10_000

const rendered = (svg: string) => Effect.promise(() => render(svg)).pipe(Effect.timeout(RENDER_WITHIN_MS))

const inTurn = (svg: string): Promise<Buffer> => {
  waiting++
  const card = last.then(() => Effect.runPromise(rendered(svg))).finally(() => waiting--)
  last = card.catch(() => undefined)
  return card
}

const CROWDED = new Unavailable({ detail: "Too many share cards are being made right now.", retryAfterSeconds: 5 })
const FAILED = new Unavailable({ detail: "The share card could not be made.", retryAfterSeconds: 60 })

/** The card of this SVG. */
export const cardPng = (svg: string): Effect.Effect<Buffer, Unavailable> =>
  Effect.suspend(() => {
    const known = cards.get(svg)
    if (known === undefined && waiting >= MOST_WAITING) return Effect.fail(CROWDED)
    const card = known ?? inTurn(svg)
    if (known === undefined) {
      cards.set(svg, card)
      // A failure is not kept.
      card.catch(() => cards.delete(svg))
    }
    return Effect.tryPromise({ try: () => card, catch: () => FAILED })
  })
