/** Blocks of people who are to share a breakout room: each person is in at most one block. */

/** Merges blocks with a common member; people outside `known` and blocks of fewer than two are omitted. */
export const mergeBlocks = (
  blocks: ReadonlyArray<ReadonlyArray<string>>,
  known: ReadonlySet<string>,
): ReadonlyArray<ReadonlyArray<string>> => {
  const blockOf = new Map<string, Set<string>>()
  for (const block of blocks) {
    const merged = new Set<string>()
    for (const person of block) {
      if (!known.has(person)) continue
      for (const member of blockOf.get(person) ?? [person]) merged.add(member)
    }
    for (const member of merged) blockOf.set(member, merged)
  }
  return [...new Set(blockOf.values())].filter(({ size }) => size > 1).map((block) => [...block])
}
