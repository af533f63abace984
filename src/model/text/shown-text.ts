/**
 * User text that others see, without invisible characters: marks that change the direction of the text around them (UAX #9 §2), and
 * characters without a shape of their own, which make two texts look alike. Some of these shape visible characters and are kept there:
 * joiners within emoji and in scripts that join, selectors after characters with variants, tags of flags.
 * Invariants: a second application changes nothing; ordinary text of any script, and every emoji, is unchanged.
 */
import { Schema, SchemaTransformation } from "effect"

/** Scripts whose letters join or stack, so that a joiner changes their shape. */
const JOINING = [
  "Adlm Arab Beng Deva Gujr Guru Hanifi_Rohingya Java Khmr Knda Mand Mlym Mong Mymr Nkoo Orya Phag Sinh Syrc Taml Telu Tibt Bali",
]
  .flatMap((names) => names.split(" "))
  .map((name) => `\\p{Script_Extensions=${name}}`)
  .join("")

/** A visible letter or mark: two vowels of Khmer are invisible. */
const LETTER = `(?:(?=[\\p{L}\\p{M}])(?!\\p{Default_Ignorable_Code_Point})[${JOINING}])`
const EMOJI = "\\p{Extended_Pictographic}"
/** End of an emoji before a joiner: the emoji itself, its selector, or its skin tone. */
const EMOJI_BEFORE = `(?<=${EMOJI}[\\ufe0f\\p{Emoji_Modifier}]?|[\\u{1f1e6}-\\u{1f1ff}]\\ufe0f?)`

/** Invisible characters that shape the text around them. Each needs neighbours that are visible or kept as well. */
const SHAPING = [
  `${EMOJI_BEFORE}\\u200d(?=${EMOJI})`,
  `(?<=${LETTER})\\u200c(?=${LETTER})`,
  // Allowed at the end of a word too: half forms, and initial forms used alone.
  `(?<=${LETTER})\\u200d`,
  // Selectors of emoji, including before the box of a key, and of ideographs and symbols with standardised variants.
  "(?<=\\p{Emoji})[\\ufe0e\\ufe0f]",
  "(?<=[\\p{Ideographic}\\p{Script=Mymr}\\p{Script=Phag}\\p{Sm}\\p{So}\\p{P}])[\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}]",
  "(?<=(?=\\p{L})\\p{Script=Mong})[\\u180b-\\u180f]",
  // The flags of England, Scotland and Wales.
  "(?<=\\u{1f3f4})[\\u{e0030}-\\u{e0039}\\u{e0061}-\\u{e007a}]{2,8}\\u{e007f}",
]

/** Invisible characters, except line breaks and tabs, which have a shape. */
const UNSEEN =
  "[\\p{Default_Ignorable_Code_Point}\\u{e0000}-\\u{e007f}\\ufff9-\\ufffb\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f]"

const SHAPING_OR_UNSEEN = new RegExp(`(${SHAPING.join("|")})|${UNSEEN}`, "gu")
/** Most texts have none, and are scanned once. */
const HAS_UNSEEN = new RegExp(UNSEEN, "u")

export const withoutUnseen = (text: string): string =>
  HAS_UNSEEN.test(text) ? text.replace(SHAPING_OR_UNSEEN, (_all, shaping: string | undefined) => shaping ?? "") : text

/** Direction marks that do not reorder text, and soft hyphens: members write them on purpose. */
const MEANT = /[\u00ad\u061c\u200e\u200f]/

/** Text of members, who write their own events. */
export const membersText = (text: string): string =>
  HAS_UNSEEN.test(text)
    ? text.replace(SHAPING_OR_UNSEEN, (all, shaping: string | undefined) => shaping ?? (MEANT.test(all) ? all : ""))
    : text

/** A braille cell without dots is an invisible symbol. */
const VISIBLE = /(?!\u2800)[\p{L}\p{N}\p{P}\p{S}]/u

/** Whether any character of the text is visible. */
export const isVisible = (text: string): boolean => VISIBLE.test(withoutUnseen(text))

type Strip = (text: string) => string

const strippedBy = (decode: Strip) => SchemaTransformation.transform({ decode, encode: (text: string) => text })

/** Text of `minimum` to `maximum` characters as sent, and at least `minimum` without the invisible ones. */
export const ShownText = (minimum: number, maximum: number, strip: Strip = withoutUnseen) =>
  Schema.String.check(Schema.isBetweenLength(minimum, maximum)).pipe(
    Schema.decodeTo(
      Schema.String.check(
        Schema.isMinLength(minimum),
        // A text that is too short as sent has only one fault.
        Schema.makeFilter(
          (text) => text.length < minimum || withoutUnseen(text).length >= minimum || "must not be blank",
        ),
      ),
      strippedBy(strip),
    ),
  )
export const MembersText = (minimum: number, maximum: number) => ShownText(minimum, maximum, membersText)

/** Shown text with at least one visible character. */
export const LegibleText = (
  maximum: number,
  isLegible: (text: string) => boolean = isVisible,
  rule = "must not be blank",
  strip: Strip = withoutUnseen,
) =>
  Schema.String.check(Schema.isBetweenLength(1, maximum)).pipe(
    Schema.decodeTo(Schema.String.check(Schema.makeFilter((text) => isLegible(text) || rule)), strippedBy(strip)),
  )
/** Legible text on one line. */
export const MembersTitle = (maximum: number, isLegible: (text: string) => boolean) =>
  LegibleText(maximum, isLegible, "must be one visible line", membersText)
