/** Acts that the command palette offers: each page of the console adds its own while it is shown. */
import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef } from "react"

export interface Act {
  readonly id: string
  readonly label: string
  readonly run: () => void
}

interface Registry {
  readonly add: (acts: () => ReadonlyArray<Act>) => () => void
  readonly all: () => ReadonlyArray<Act>
}

const ActsContext = createContext<Registry | undefined>(undefined)

export const ActsProvider = ({ children }: { readonly children: ReactNode }) => {
  const registry = useMemo((): Registry => {
    const given = new Set<() => ReadonlyArray<Act>>()
    return {
      add: (acts) => {
        given.add(acts)
        return () => given.delete(acts)
      },
      all: () => [...given].flatMap((acts) => acts()),
    }
  }, [])
  return <ActsContext.Provider value={registry}>{children}</ActsContext.Provider>
}

export const useRegistry = (): Registry => {
  const registry = useContext(ActsContext)
  if (registry === undefined) throw new Error("no provider of acts is above this part")
  return registry
}

/** Offers the acts while the part is shown. */
export const useActs = (acts: ReadonlyArray<Act>): void => {
  const { add } = useRegistry()
  const latest = useRef(acts)
  latest.current = acts
  useEffect(() => add(() => latest.current), [add])
}
