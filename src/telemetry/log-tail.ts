/** Newest lines of this process's log. Warnings and errors are kept separately, so that request lines do not evict them. */
import type { Schema } from "effect"
import { type DestinationStream, pino } from "pino"

/** A stream with this symbol gets the level of each line from pino (`lastLevel`). */
const METADATA = Symbol.for("pino.metadata")

interface KeptLine {
  readonly number: number
  readonly level: number
  readonly text: string
}

interface LogLine {
  readonly number: number
  readonly at: string
  readonly level: string
  readonly message: string
  readonly fields: { readonly [name: string]: Schema.Json }
}

export const TAIL_LINES = 500
/** Maximum length of a kept line; a longer line is kept without its fields. */
const LONGEST = 4000

const { info: INFO = 30, warn: WARN = 40 } = pino.levels.values

/** `mask` is applied to every text of the line. */
const read = ({ number, level: value, text }: KeptLine, mask: (text: string) => string): LogLine => {
  const line: LogLine["fields"] = JSON.parse(text, (_, one: unknown) => (typeof one === "string" ? mask(one) : one))
  const { level: _, time, msg, ...fields } = line
  const level = pino.levels.labels[value] ?? String(value)
  return { number, at: String(time), level, message: String(msg ?? ""), fields }
}

export class LogTail {
  readonly #common: KeptLine[] = []
  readonly #grave: KeptLine[] = []
  #last = 0

  add(level: number, text: string): void {
    if (level < INFO) return
    const lines = level < WARN ? this.#common : this.#grave
    const kept = text.length <= LONGEST ? text : this.#outline(text)
    lines.push({ number: ++this.#last, level, text: kept })
    if (lines.length > TAIL_LINES) lines.shift()
  }

  /** Newest lines of at least this level, after that number, oldest first. */
  read(level: "info" | "warn" | "error", after: number, mask: (text: string) => string): ReadonlyArray<LogLine> {
    const least = pino.levels.values[level] ?? INFO
    return [...(least < WARN ? this.#common : []), ...this.#grave]
      .filter((line) => line.level >= least && line.number > after)
      .toSorted((a, b) => a.number - b.number)
      .slice(-TAIL_LINES)
      .map((line) => read(line, mask))
  }

  #outline(text: string): string {
    const { time, msg } = JSON.parse(text) as { readonly time: string; readonly msg?: string }
    return JSON.stringify({ time, msg: `${(msg ?? "").slice(0, 200)} (${text.length} characters)` })
  }
}

/** Tail of this process, whose loggers share one output. */
export const processTail = new LogTail()

/** Output of the process, copied to the tail. */
export const tailed = (output: DestinationStream, tail: LogTail): DestinationStream => {
  const stream = {
    [METADATA]: true,
    lastLevel: INFO,
    write(text: string): void {
      tail.add(stream.lastLevel, text)
      output.write(text)
    },
  }
  return stream
}
