/**
 * A list that may be long: its first rows are rendered, and more on demand. A row that was used stays rendered when others overtake it, so
 * that nothing typed or chosen in it is lost.
 */
import { useEffect, useRef, useState } from "react"
import { useTexts } from "../texts/language.tsx"
import { Button } from "./button.tsx"

interface Props<A> {
  readonly label: string
  readonly items: ReadonlyArray<A>
  readonly idOf: (item: A) => string
  /** Content of a row. */
  readonly children: (item: A) => React.ReactNode
  readonly className?: string
  readonly rowClassName?: string
  /** Number of rows at first, and added with each press of the button. */
  readonly step?: number
}

const STEP = 20
/** Step for rows that fill a good part of a window, such as polls. */
export const STEP_OF_TALL_ROWS = 10
const NONE: ReadonlySet<string> = new Set()

export const LongList = <A,>({ label, items, idOf, children, className, rowClassName, step = STEP }: Props<A>) => {
  const { showMore } = useTexts()
  const [count, raise] = useState(step)
  const [used, note] = useState(NONE)
  const rows = useRef(new Map<string, HTMLLIElement>())
  const next = useRef<string | undefined>(undefined)
  const shown = items.filter((item, place) => place < count || used.has(idOf(item)))
  const left = items.length - shown.length
  const more = () => {
    const first = items.find((item, place) => place >= count && !used.has(idOf(item)))
    next.current = first === undefined ? undefined : idOf(first)
    raise(count + step)
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: the row is there once more of them are shown.
  useEffect(() => {
    // The button may be gone, and the keyboard focus continues where the new rows begin.
    if (next.current !== undefined) rows.current.get(next.current)?.focus()
    next.current = undefined
  }, [count])
  return (
    <>
      <ol className={className} aria-label={label}>
        {shown.map((item) => {
          const id = idOf(item)
          return (
            <li
              key={id}
              ref={(row) => {
                if (row !== null) rows.current.set(id, row)
                return () => {
                  rows.current.delete(id)
                }
              }}
              className={rowClassName}
              tabIndex={-1}
              onFocus={() => note((now) => (now.has(id) ? now : new Set(now).add(id)))}
            >
              {children(item)}
            </li>
          )
        })}
      </ol>
      {left === 0 ? null : (
        <div className="row">
          <Button onPress={more}>{showMore(left)}</Button>
        </div>
      )}
    </>
  )
}
