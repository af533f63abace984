/** Figures of the same kind at growing sizes, and their slopes: the figure at the largest size to that at the smallest one. */
import { printRows, spread, spreadOf } from "../support/figures.ts"

export class FiguresBySize {
  readonly #unit: string
  readonly #sizes: ReadonlyArray<number>
  readonly #values = new Map<string, Map<number, number[]>>()

  /** `unit`: of what there are more and more. */
  constructor(unit: string, sizes: ReadonlyArray<number>) {
    this.#unit = unit
    this.#sizes = sizes
  }

  /** Of one round. */
  add(size: number, values: { readonly [figure: string]: number }): void {
    for (const [figure, value] of Object.entries(values)) {
      const bySize = this.#values.get(figure) ?? new Map<number, number[]>()
      bySize.set(size, [...(bySize.get(size) ?? []), value])
      this.#values.set(figure, bySize)
    }
  }

  /** What one more of them adds to the figure, between a size and the one before. */
  addDifferences(figure: string, name: string): void {
    for (const [at, size] of this.#sizes.entries()) {
      const before = this.#sizes[at - 1]
      if (before === undefined) continue
      const values = [before, size].map((of) => spreadOf(this.#values.get(figure)?.get(of) ?? []).median)
      this.add(size, { [name]: ((values[1] ?? 0) - (values[0] ?? 0)) / (size - before) })
    }
  }

  print(): void {
    if (this.#values.size === 0) return
    const head = [this.#unit, ...this.#sizes.map((size) => size.toLocaleString("en-US")), "slope"]
    const rows = [...this.#values].map(([figure, bySize]) => [
      figure,
      ...this.#sizes.map((size) => (bySize.has(size) ? spread(bySize.get(size) ?? []) : "")),
      this.#slopeOf(bySize)?.toFixed(2) ?? "",
    ])
    printRows([head, ...rows])
  }

  /** A figure that could be measured at one size alone, or is nothing at one, has none. */
  slopes(): ReadonlyArray<string> {
    return [...this.#values].flatMap(([figure, bySize]) => {
      const slope = this.#slopeOf(bySize)
      return slope === undefined ? [] : [`${figure} ${slope.toFixed(2)}x`]
    })
  }

  #slopeOf(bySize: ReadonlyMap<number, number[]>): number | undefined {
    const measured = this.#sizes.filter((size) => bySize.has(size))
    const [first, last] = [measured[0], measured.at(-1)]
    if (first === undefined || last === undefined || first === last) return undefined
    const [atFirst, atLast] = [first, last].map((size) => spreadOf(bySize.get(size) ?? []).median)
    // What is less than the rest that was taken off cannot be told from nothing.
    if (atFirst === undefined || atLast === undefined || atFirst <= 0 || atLast <= 0) return undefined
    return atLast / atFirst
  }
}
