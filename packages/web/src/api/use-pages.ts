/** A paged list whose next page is read on demand. */
import { useCallback, useEffect, useRef, useState } from "react"

/** The items are a member with a name of the list's own. */
type Page<Name extends string, A> = { readonly [name in Name]: ReadonlyArray<A> } & {
  readonly nextCursor: string | null
}

export interface Pages<A> {
  /** Undefined before the first answer. */
  readonly items: ReadonlyArray<A> | undefined
  readonly error: unknown
  readonly isLoading: boolean
  readonly hasMore: boolean
  readonly more: () => void
  /** Reads the first page again; the shown items stay until it arrives. */
  readonly reload: () => void
  /** Changes the shown items, without reading anything. */
  readonly edit: (change: (items: ReadonlyArray<A>) => ReadonlyArray<A>) => void
}

interface State<A> {
  readonly items: ReadonlyArray<A> | undefined
  readonly cursor: string | null
  readonly error: unknown
  readonly isLoading: boolean
}

/** `key` identifies the list; another key reads again. `read` gets the query of a page; a list that could be CSV answers with a text. */
export const usePages = <Name extends string, A>(
  key: string,
  name: Name,
  read: (at: { readonly cursor?: string }) => Promise<Page<Name, A> | string>,
): Pages<A> => {
  const [state, change] = useState<State<A>>({ items: undefined, cursor: null, error: null, isLoading: true })
  const latest = useRef(read)
  latest.current = read
  const reading = useRef(0)
  const load = useCallback(
    (before: ReadonlyArray<A>, cursor: string | undefined) => {
      reading.current += 1
      const number = reading.current
      change((now) => ({ ...now, isLoading: true, error: null }))
      latest.current(cursor === undefined ? {} : { cursor }).then(
        (page) => {
          if (number !== reading.current) return
          if (typeof page === "string")
            change((now) => ({ ...now, error: new Error("the list is CSV"), isLoading: false }))
          else change({ items: [...before, ...page[name]], cursor: page.nextCursor, error: null, isLoading: false })
        },
        (error: unknown) => {
          if (number === reading.current) change((now) => ({ ...now, error, isLoading: false }))
        },
      )
    },
    [name],
  )
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key names what `read` reads.
  useEffect(() => {
    change({ items: undefined, cursor: null, error: null, isLoading: true })
    load([], undefined)
    return () => {
      reading.current += 1
    }
  }, [key, load])
  const { items, cursor, error, isLoading } = state
  return {
    items,
    error,
    isLoading,
    hasMore: cursor !== null,
    more: () => load(items ?? [], cursor ?? undefined),
    reload: () => load([], undefined),
    edit: (edited) => change((now) => (now.items === undefined ? now : { ...now, items: edited(now.items) })),
  }
}
