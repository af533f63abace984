/** The need of a deployment for one resource, beside the supply. */

export interface Resource {
  readonly name: string
  readonly needs: number
  /** The supply; absent where more nodes give more. */
  readonly limit?: number
  readonly unit: string
  /** The advice for when it binds. */
  readonly change?: string
}

export interface Answer {
  readonly nodes: number
  readonly resources: ReadonlyArray<Resource>
  readonly assumptions: ReadonlyArray<string>
}

export const GIB = 1024 ** 3
const BITS_PER_BYTE = 8
export const gbit = (bytesPerSecond: number): number => (bytesPerSecond * BITS_PER_BYTE) / 1e9

/** The share of the limit that is needed; 0 where there is none. */
export const shareOf = ({ needs, limit }: Resource): number => (limit === undefined ? 0 : needs / limit)

/** The resource of which the largest share is needed. */
export const binding = ({ resources }: Answer): Resource | undefined =>
  [...resources].sort((a, b) => shareOf(b) - shareOf(a))[0]

/**
 * The least number of nodes, one of which may be lost, where a node needs at most the wanted share. `loadOf` is the share that one
 * of so many serving nodes needs; where even very many nodes do not do, the most that were tried.
 */
export const nodesFor = (loadOf: (serving: number) => number, most = 10_000): number => {
  let serving = 1
  while (serving < most && loadOf(serving) > 1) serving += Math.max(1, Math.floor(serving / 100))
  return serving + 1
}
