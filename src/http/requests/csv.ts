/** A list as CSV (RFC 4180) for spreadsheets: UTF-8 with its mark, and no cell that is taken for a formula. */
import { stringify } from "csv-stringify/sync"

type Cell = string | number | boolean | null

/** The rows of a list under the names of their columns. */
export interface Columns<Item> {
  readonly names: ReadonlyArray<string>
  /** An item may have several rows, each with a cell for each column. */
  readonly rowsOf: (item: Item) => ReadonlyArray<ReadonlyArray<Cell>>
}

/** A spreadsheet of a language that writes decimal commas splits cells at semicolons: such a cell is quoted, and stays one. */
const SPLIT_ELSEWHERE = /[;\t]/

const OPTIONS = {
  escape_formulas: true,
  quoted_match: SPLIT_ELSEWHERE,
  record_delimiter: "windows",
  cast: { boolean: String },
} as const

/** Written in parts, so that a long list does not hold up the process. */
export class CsvWriter<Item> {
  readonly #columns: Columns<Item>
  readonly #parts: string[]
  #length = 0

  constructor(columns: Columns<Item>) {
    this.#columns = columns
    this.#parts = [stringify([[...columns.names]], { ...OPTIONS, bom: true })]
  }

  /** Characters that were written. */
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
