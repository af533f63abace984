/**
 * The font of share cards, which is shipped with the product: letters of Latin, Greek and Cyrillic, kana, and the kanji of JIS X 0208 level 1.
 * `card-font.md` says where it is from. The server reads widths and known characters from its tables, because the renderer breaks no lines.
 */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

export const FONT_FILE = fileURLToPath(new URL("./card-font.otf", import.meta.url))
export const FONT_FAMILY = "Noto Sans CJK JP"

interface CardFont {
  readonly has: (character: string) => boolean
  /** Width in parts of the size of the type. */
  readonly widthOf: (text: string) => number
}

const tableIn = (file: DataView, wanted: string): number => {
  for (let entry = 12; entry < 12 + file.getUint16(4) * 16; entry += 16) {
    const tag = String.fromCharCode(...[0, 1, 2, 3].map((at) => file.getUint8(entry + at)))
    if (tag === wanted) return file.getUint32(entry + 8)
  }
  throw new Error(`the font has no table "${wanted}"`)
}

/** Start of the character map in format 4, which holds the characters of this font (OpenType 1.9, `cmap`). */
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

const readFont = (): CardFont => {
  const bytes = readFileSync(FONT_FILE)
  const file = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const glyphs = glyphsIn(file)
  const [metrics, em] = [tableIn(file, "hmtx"), file.getUint16(tableIn(file, "head") + 18)]
  const last = file.getUint16(tableIn(file, "hhea") + 34) - 1
  const advance = (glyph: number): number => file.getUint16(metrics + 4 * Math.min(glyph, last)) / em
  return {
    has: (character) => glyphs.has(character.codePointAt(0) ?? 0),
    widthOf: (text) => [...text].reduce((sum, one) => sum + advance(glyphs.get(one.codePointAt(0) ?? 0) ?? 0), 0),
  }
}

let font: CardFont | undefined

/** Read when the first card is made. */
export const cardFont = (): CardFont => {
  font ??= readFont()
  return font
}
