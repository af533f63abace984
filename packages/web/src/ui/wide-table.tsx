/** A table that scrolls separately where it is wider than the page. */
import type { ReactNode } from "react"

export interface WideTableProps {
  readonly title: string
  readonly heads: ReadonlyArray<string>
  readonly rows: ReadonlyArray<{ readonly key: string; readonly cells: ReadonlyArray<string | null> }>
  /** Last cell of each row, which gets the row's key. */
  readonly action?: (key: string) => ReactNode
}

export const WideTable = ({ title, heads, rows, action }: WideTableProps) => (
  // A scrolling region has to be reachable by keyboard.
  // biome-ignore lint/a11y/noNoninteractiveTabindex: as said.
  <section className="wide" tabIndex={0} aria-label={title}>
    <table className="table">
      <thead>
        <tr>
          {heads.map((head) => (
            <th key={head} scope="col">
              {head}
            </th>
          ))}
          {action === undefined ? null : <td />}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ key, cells }) => (
          <tr key={key}>
            {cells.map((cell, index) => (
              <td key={heads[index]}>{cell}</td>
            ))}
            {action === undefined ? null : <td>{action(key)}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  </section>
)
