/** One table from several that share no name. */

type Tables = ReadonlyArray<object>

/** The names that stand in more than one of the tables. `Seen`: those of the tables before. */
export type Repeated<T extends Tables, Seen = never> = T extends readonly [infer First, ...infer Rest extends Tables]
  ? (keyof First & Seen) | Repeated<Rest, Seen | keyof First>
  : never

type Intersection<T extends Tables> = T extends readonly [infer First, ...infer Rest extends Tables]
  ? First & Intersection<Rest>
  : unknown

/** The members of all tables. */
export type Joined<T extends Tables> = { readonly [Name in keyof Intersection<T>]: Intersection<T>[Name] }

/** The caller has the compiler check that `Repeated` is empty: of two members with one name, the later would replace the earlier. */
export const joined = <T extends Tables>(tables: T): Joined<T> => Object.assign({}, ...tables) as Joined<T>
