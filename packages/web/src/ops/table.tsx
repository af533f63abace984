/** A table of the operator's page. */
import { Button } from "../ui/button.tsx"

interface TableProps {
  readonly title: string
  readonly empty: string
  readonly heads: ReadonlyArray<string>
  readonly rows: ReadonlyArray<{ readonly key: string; readonly cells: ReadonlyArray<string> }>
  /** Button of each row, which gets the row's key. */
  readonly action?: { readonly label: string; readonly onPress: (key: string) => void }
}

export const Table = ({ title, empty, heads, rows, action }: TableProps) => (
  <div>
    <h2>{title}</h2>
    {rows.length === 0 ? (
      <p className="quiet">{empty}</p>
    ) : (
      // A table wider than the page scrolls separately, also by keyboard.
      // biome-ignore lint/a11y/noNoninteractiveTabindex: as above.
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
                {action === undefined ? null : (
                  <td>
                    <Button onPress={() => action.onPress(key)}>{action.label}</Button>
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    )}
  </div>
)
