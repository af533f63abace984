/** Entities kept by a client: each by its id, at the highest revision received, by reply or by dispatch. */
interface Entity {
  readonly id: string
  readonly rev: number
}

/** Replaces the entity with its newer revision, or adds it. Returns the same array when nothing changed. */
export const put = <E extends Entity>(entities: ReadonlyArray<E>, entity: E): ReadonlyArray<E> => {
  const known = entities.find(({ id }) => id === entity.id)
  if (known === undefined) return [...entities, entity]
  return known.rev >= entity.rev ? entities : entities.map((other) => (other.id === entity.id ? entity : other))
}

/** Returns the same array when it was absent. */
export const without = <E extends { readonly id: string }>(entities: ReadonlyArray<E>, id: string): ReadonlyArray<E> =>
  entities.some((other) => other.id === id) ? entities.filter((other) => other.id !== id) : entities

/** Removed entities with their last revision: a late reply must not restore one. */
export type Gone = ReadonlyMap<string, number>

export const NOTHING_GONE: Gone = new Map()

export const withGone = (gone: Gone, id: string, rev = Number.POSITIVE_INFINITY): Gone => new Map(gone).set(id, rev)

export const isGone = (gone: Gone, { id, rev }: Entity): boolean => (gone.get(id) ?? Number.NEGATIVE_INFINITY) >= rev
