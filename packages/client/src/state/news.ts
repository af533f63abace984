/** The dispatches that change each part of the state, by contract, and the receiver of dispatches. A part that lacks a case does not compile. */
import { CHANGES } from "../contract/changes.ts"
import type { Me } from "../contract/types.ts"
import type { Dispatch } from "../wire.ts"

type Part = (typeof CHANGES)[keyof typeof CHANGES][number]

/** Dispatches that change a part of the state. */
export type NewsOf<P extends Part> = Extract<
  Dispatch,
  {
    readonly t: {
      readonly [T in keyof typeof CHANGES]: P extends (typeof CHANGES)[T][number] ? T : never
    }[keyof typeof CHANGES]
  }
>

// A newer server sends names unknown to this client.
const PARTS: ReadonlyMap<string, ReadonlyArray<Part>> = new Map(Object.entries(CHANGES))

const isNewsOf = <P extends Part>(dispatch: Dispatch, part: P): dispatch is NewsOf<P> =>
  PARTS.get(dispatch.t)?.includes(part) === true

/** The part after the dispatch: the same object when the dispatch does not change it. */
export const after = <P extends Part, S>(
  part: P,
  dispatch: Dispatch,
  before: S,
  change: (before: S, news: NewsOf<P>) => S,
): S => (isNewsOf(dispatch, part) ? change(before, dispatch) : before)

export const actsAsStaff = ({ role }: Pick<Me, "role">): boolean => role === "workspace_admin" || role === "host"
