/** A table of the operator's page. */
import { Button } from "../ui/button.tsx"
import { WideTable, type WideTableProps } from "../ui/wide-table.tsx"

interface TableProps extends Omit<WideTableProps, "action"> {
  readonly empty: string
  /** Button of each row, which gets the row's key. */
  readonly action?: { readonly label: string; readonly onPress: (key: string) => void }
}

export const Table = ({ title, empty, heads, rows, action }: TableProps) => (
  <div>
    <h2>{title}</h2>
    {rows.length === 0 ? (
      <p className="quiet">{empty}</p>
    ) : (
      <WideTable
        {...{ title, heads, rows }}
        {...(action && { action: (key) => <Button onPress={() => action.onPress(key)}>{action.label}</Button> })}
      />
    )}
  </div>
)
