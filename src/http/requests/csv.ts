/** CSV lists (RFC 4180) for spreadsheets: UTF-8 with a byte order mark, and no cell that can be taken for a formula. */
import { stringify } from "csv-stringify/sync"

type Cell = string | number | boolean | null

/** Rows of a list under their column names. */
export interface Columns<Item> {
  readonly names: ReadonlyArray<string>
  /** An item may have several rows, each with a cell for each column. */
  readonly rowsOf: (item: Item) => ReadonlyArray<ReadonlyArray<Cell>>
}

/**
 * Spreadsheets in languages with decimal commas split cells at semicolons, and many readers split rows at any line break, so such a cell is
 * quoted.
 */
const SPLIT_ELSEWHERE = /[;\t\n\r]/

const OPTIONS = {
  escape_formulas: true,
  quoted_match: SPLIT_ELSEWHERE,
  record_delimiter: "windows",
  cast: { boolean: String },
} as const

/** Written in parts, so that a long list does not block the process. */
export class CsvWriter<Item> {
  readonly #columns: Columns<Item>
  readonly #parts: string[]
  #length = 0

  constructor(columns: Columns<Item>) {
    this.#columns = columns
    this.#parts = [stringify([[...columns.names]], { ...OPTIONS, bom: true })]
  }

  /** Number of characters written. */
  get length(): number {
    return this.#length
  }

  add(items: ReadonlyArray<Item>): void {
    const rows = items.flatMap((item) => this.#columns.rowsOf(item)).map((row) => [...row])
    if (rows.length === 0) return
    const part = stringify(rows, OPTIONS)
    this.#parts.push(part)
    this.#length += part.length
  }

  text(): string {
    return this.#parts.join("")
  }
}
