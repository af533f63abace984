/**
 * Readable shades of an accent. The server and the pages both import this file, so that emails, share cards and pages have the same
 * colours, and the console's preview shows them; it imports nothing.
 *
 * No accent is refused for its contrast: it keeps its hue and chroma, and its lightness (OKLCH) is moved until texts in it are legible. A
 * refusal would shut out half of all brands, because few colours are legible on a light and on a dark ground.
 */

/** Smallest contrast of text (WCAG 2.2, success criterion 1.4.3). */
export const WANTED_CONTRAST = 4.5

export interface Shade {
  /** Links, focus rings, and the ground of the main button. */
  readonly accent: string
  /** Text on the accent. */
  readonly onAccent: string
  /** A quiet ground for text in the accent. */
  readonly soft: string
}

export interface Shades {
  readonly light: Shade
  readonly dark: Shade
}

/** Grounds of the pages on which text in the accent stands, by `packages/web/src/ui/base.css`: the page, a card, a raised part. */
export const GROUNDS = {
  light: ["#f6f6f9", "#ffffff", "#eff0f5"],
  dark: ["#101117", "#191b24", "#242733"],
} as const

const linear = (part: number): number => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
const encoded = (part: number): number => (part <= 0.0031308 ? part * 12.92 : 1.055 * part ** (1 / 2.4) - 0.055)

type Three = readonly [number, number, number]

const linearOf = (hex: string): Three => {
  const at = (index: number): number => linear(Number.parseInt(hex.slice(index, index + 2), 16) / 255)
  return [at(1), at(3), at(5)]
}

const hexOf = (parts: Three): string =>
  `#${parts
    .map((part) =>
      Math.round(encoded(Math.min(1, Math.max(0, part))) * 255)
        .toString(16)
        .padStart(2, "0"),
    )
    .join("")}`

const luminance = ([red, green, blue]: Three): number => 0.2126 * red + 0.7152 * green + 0.0722 * blue

/** Ratio of two colours in the form `#rrggbb`, from 1 to 21 (WCAG 2.2). */
export const contrastOf = (one: string, other: string): number => {
  const [a, b] = [luminance(linearOf(one)) + 0.05, luminance(linearOf(other)) + 0.05]
  return Math.max(a, b) / Math.min(a, b)
}

/** Björn Ottosson's Oklab, of linear sRGB. */
const oklabOf = ([red, green, blue]: Three): Three => {
  const l = Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue)
  const m = Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue)
  const s = Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue)
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ]
}

const linearOfOklab = ([lightness, a, b]: Three): Three => {
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ]
}

const isShown = (parts: Three): boolean => parts.every((part) => part >= -0.0005 && part <= 1.0005)

/** The colour with another lightness, and of its chroma what a screen can show and `most` allows. */
const lit = ([, a, b]: Three, lightness: number, most = 1): string => {
  let chroma = Math.min(1, most / Math.max(Math.hypot(a, b), 1e-6))
  while (chroma > 0.02 && !isShown(linearOfOklab([lightness, a * chroma, b * chroma]))) chroma -= 0.02
  return hexOf(linearOfOklab([lightness, a * chroma, b * chroma]))
}

const STEP = 0.005

/** Colours beside an accent: its quiet ground, and the text on it. */
const besideIn = (lab: Three, scheme: keyof typeof GROUNDS): Pick<Shade, "soft" | "onAccent"> =>
  scheme === "light"
    ? { soft: lit(lab, 0.945, 0.03), onAccent: "#ffffff" }
    : { soft: lit(lab, 0.3, 0.07), onAccent: lit(lab, 0.2, 0.06) }

const smallestContrast = (
  accent: string,
  scheme: keyof typeof GROUNDS,
  { soft, onAccent }: Pick<Shade, "soft" | "onAccent">,
): number => Math.min(...[...GROUNDS[scheme], soft, onAccent].map((other) => contrastOf(accent, other)))

const shadeIn = (lab: Three, scheme: keyof typeof GROUNDS): Shade => {
  const isLight = scheme === "light"
  const { soft, onAccent } = besideIn(lab, scheme)
  let lightness = lab[0]
  const legible = (accent: string): boolean => smallestContrast(accent, scheme, { soft, onAccent }) >= WANTED_CONTRAST
  while (lightness >= 0 && lightness <= 1 && !legible(lit(lab, lightness))) lightness += isLight ? -STEP : STEP
  return { accent: lit(lab, lightness), onAccent, soft }
}

/** Every read of a branded event needs its shades, and they take half a millisecond. */
const known = new Map<string, Shades>()
const MOST_KNOWN = 500

export const shadesOf = (accent: string): Shades => {
  const before = known.get(accent)
  if (before !== undefined) return before
  const lab = oklabOf(linearOf(accent))
  const shades = { light: shadeIn(lab, "light"), dark: shadeIn(lab, "dark") }
  if (known.size >= MOST_KNOWN) known.clear()
  known.set(accent, shades)
  return shades
}

/** Smallest contrast of a colour in a scheme: on its grounds, and beside the quiet ground and the text of the accent as it was chosen. */
export const reachedOn = (color: string, scheme: keyof typeof GROUNDS, accent = color): number =>
  smallestContrast(color, scheme, besideIn(oklabOf(linearOf(accent)), scheme))

/** Number of patterns of covers that are made where there is no picture. */
const COVER_PATTERNS = 6

/** The pattern of a made cover: the same for the same title (FNV-1a). */
export const coverPattern = (title: string): number => {
  let hash = 0x811c9dc5
  for (let at = 0; at < title.length; at++) hash = Math.imul(hash ^ title.charCodeAt(at), 0x01000193)
  return (hash >>> 0) % COVER_PATTERNS
}
