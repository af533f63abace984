/**
 * Text of a caption file. WebVTT is UTF-8. SubRip names no encoding: a byte order mark names UTF-16, and what is not UTF-8 is taken for
 * Windows-1252, which the programs that write such files use.
 */

const utf8 = new TextDecoder("utf-8", { fatal: true })
const utf16le = new TextDecoder("utf-16le", { fatal: true })
const utf16be = new TextDecoder("utf-16be", { fatal: true })

/** Characters of the bytes 80 to 9F. Node 20 decodes `windows-1252` as Latin-1, which has control characters there. */
const FROM_80 = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ"

const windows1252 = (body: Uint8Array): string =>
  Buffer.from(body)
    .toString("latin1")
    .replace(/[\u0080-\u009f]/g, (character) => FROM_80.charAt(character.charCodeAt(0) - 0x80))

/** Throws TypeError for bytes that are no text in UTF-8. */
export const vttText = (body: Uint8Array): string => utf8.decode(body)

/** Throws TypeError for bytes that are no text in the UTF-16 of their mark. */
export const srtText = (body: Uint8Array): string => {
  if (body[0] === 0xff && body[1] === 0xfe) return utf16le.decode(body)
  if (body[0] === 0xfe && body[1] === 0xff) return utf16be.decode(body)
  try {
    return utf8.decode(body)
  } catch {
    return windows1252(body)
  }
}
