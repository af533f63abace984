/** Joins several tables that share no name. */

type Tables = ReadonlyArray<object>

/** Names that occur in more than one of the tables. `Seen`: the names of the previous tables. */
export type Repeated<T extends Tables, Seen = never> = T extends readonly [infer First, ...infer Rest extends Tables]
  ? (keyof First & Seen) | Repeated<Rest, Seen | keyof First>
  : never

type Intersection<T extends Tables> = T extends readonly [infer First, ...infer Rest extends Tables]
  ? First & Intersection<Rest>
  : unknown

/** The members of all tables. */
export type Joined<T extends Tables> = { readonly [Name in keyof Intersection<T>]: Intersection<T>[Name] }

/**
 * Joins tables. The caller has the compiler check that `Repeated` is empty: of two members with one name, the later would replace the
 * earlier.
 */
export const joined = <T extends Tables>(tables: T): Joined<T> => Object.assign({}, ...tables) as Joined<T>
