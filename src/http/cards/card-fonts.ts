/**
 * The fonts of share cards, which are shipped with the product: Inter for Latin, Greek and Cyrillic, Noto Sans for kana and the kanji of
 * JIS X 0208 level 1. `card-fonts.md` says where they are from. Widths and known characters are read from their tables, because the renderer
 * breaks no lines.
 */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const LATIN = fileURLToPath(new URL("./card-latin.ttf", import.meta.url))
const JAPANESE = fileURLToPath(new URL("./card-japanese.otf", import.meta.url))
export const FONT_FILES = [LATIN, JAPANESE]
export const FONT_FAMILY = "Inter, Noto Sans CJK JP"

const tableIn = (file: DataView, wanted: string): number => {
  for (let entry = 12; entry < 12 + file.getUint16(4) * 16; entry += 16) {
    const tag = String.fromCharCode(...[0, 1, 2, 3].map((at) => file.getUint8(entry + at)))
    if (tag === wanted) return file.getUint32(entry + 8)
  }
  throw new Error(`the font has no table "${wanted}"`)
}

/** Start of the character map in format 4, which holds all characters of these fonts (OpenType 1.9, `cmap`). */
const segmentsIn = (file: DataView): number => {
  const cmap = tableIn(file, "cmap")
  for (let entry = cmap + 4; entry < cmap + 4 + file.getUint16(cmap + 2) * 8; entry += 8) {
    const subtable = cmap + file.getUint32(entry + 4)
    if (file.getUint16(subtable) === 4) return subtable
  }
  throw new Error("the font has no character map in format 4")
}

/** Number of each character's glyph. */
const glyphsIn = (file: DataView): ReadonlyMap<number, number> => {
  const at = segmentsIn(file)
  const twice = file.getUint16(at + 6)
  const glyphs = new Map<number, number>()
  for (let segment = 0; segment < twice; segment += 2) {
    const end = file.getUint16(at + 14 + segment)
    const start = file.getUint16(at + 16 + twice + segment)
    const delta = file.getUint16(at + 16 + 2 * twice + segment)
    const place = at + 16 + 3 * twice + segment
    const offset = file.getUint16(place)
    for (let code = start; code <= end && code !== 0xffff; code++) {
      const glyph = offset === 0 ? code : file.getUint16(place + offset + 2 * (code - start))
      if (glyph !== 0) glyphs.set(code, (glyph + delta) & 0xffff)
    }
  }
  return glyphs
}

type Widths = ReadonlyMap<number, number>

/** Width of each character, in parts of the size of the type. */
const widthsIn = (path: string): Widths => {
  const bytes = readFileSync(path)
  const file = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const [metrics, em] = [tableIn(file, "hmtx"), file.getUint16(tableIn(file, "head") + 18)]
  const last = file.getUint16(tableIn(file, "hhea") + 34) - 1
  return new Map(
    [...glyphsIn(file)].map(([code, glyph]) => [code, file.getUint16(metrics + 4 * Math.min(glyph, last)) / em]),
  )
}

let widths: Widths | undefined

/** Read when the first card is made. The renderer too takes a character from the first font that has it. */
const known = (): Widths => {
  widths ??= new Map(FONT_FILES.toReversed().flatMap((path) => [...widthsIn(path)]))
  return widths
}

const codeOf = (character: string): number => character.codePointAt(0) ?? 0

export const hasCharacter = (character: string): boolean => known().has(codeOf(character))

/** Width of a text, in parts of the size of the type. */
export const widthOf = (text: string): number =>
  [...text].reduce((sum, one) => sum + (known().get(codeOf(one)) ?? 0), 0)
