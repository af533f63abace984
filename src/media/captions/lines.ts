/** Blocks of lines separated by empty lines, the common structure of WebVTT and SubRip. */

export interface Block {
  /** Number of its first line, starting at 1. */
  readonly line: number
  readonly lines: ReadonlyArray<string>
}

/** Lines without their ends, and without a byte order mark. */
export const linesOf = (text: string): ReadonlyArray<string> => text.replace(/^\uFEFF/, "").split(/\r\n|\n|\r/)

export const blocksOf = (lines: ReadonlyArray<string>): ReadonlyArray<Block> => {
  const blocks: Block[] = []
  let begun: string[] | undefined
  for (const [index, line] of lines.entries()) {
    if (line.trim() === "") begun = undefined
    else if (begun === undefined) {
      begun = [line]
      blocks.push({ line: index + 1, lines: begun })
    } else begun.push(line)
  }
  return blocks
}

/** Parses `hh:mm:ss.ttt` with any number of hours, or `mm:ss.ttt`; SubRip uses a comma. `undefined` when the text is no time. */
const millisecondsOf = (text: string): number | undefined => {
  const match = /^(?:(\d{1,4}):)?(\d{1,2}):(\d{2})[.,](\d{1,3})$/.exec(text)
  if (match === null) return undefined
  const [, hours = "0", minutes = "", seconds = "", fraction = ""] = match
  if (Number(minutes) > 59 || Number(seconds) > 59) return undefined
  return ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000 + Number(fraction.padEnd(3, "0"))
}

const TIMES = /^\s*(\S+)[ \t]*-->[ \t]*(\S+)(?:[ \t].*)?$/

/** The times of a line `<from> --> <to> <settings>`; `undefined` for other lines and unreadable times. */
export const timesOf = (line: string): { readonly t0: number; readonly t1: number } | undefined => {
  const [, from = "", to = ""] = TIMES.exec(line) ?? []
  const [t0, t1] = [millisecondsOf(from), millisecondsOf(to)]
  return t0 === undefined || t1 === undefined ? undefined : { t0, t1 }
}

/** Formats as `hh:mm:ss<point>ttt`. */
export const timeText = (milliseconds: number, point: "." | ","): string => {
  const two = (value: number): string => String(value).padStart(2, "0")
  const seconds = Math.floor(milliseconds / 1000)
  const rest = String(milliseconds % 1000).padStart(3, "0")
  return `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}${point}${rest}`
}
