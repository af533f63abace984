/** The usage of a site by what its servers are to an event, and medians of rounds. */
import type { NodesCpu, SingleCpu } from "../../capacity/measured.ts"
import { spreadOf } from "../support/figures.ts"
import { NODES, type OwnedEvent, type Usage } from "./site.ts"

/** A usage over a time. */
export type Used = Usage & { readonly seconds: number }

export const HOST_BESIDE_OWNER = 1
const OTHER_BESIDE_OWNER = 2

export const byRole = ({ servers, nats, postgres }: Used, { owner }: Pick<OwnedEvent, "owner">): NodesCpu => {
  const at = (by: number): number => servers[(owner + by) % NODES] ?? 0
  return { owner: at(0), host: at(HOST_BESIDE_OWNER), other: at(OTHER_BESIDE_OWNER), nats, postgres }
}

export const ofSingle = ({ servers, postgres }: Used): SingleCpu => ({ server: servers[0] ?? 0, postgres })

/** The median of each field. */
export const medians = <A extends { readonly [Name in keyof A]: number }>(all: ReadonlyArray<A>): A => {
  const [first] = all
  if (first === undefined) throw new Error("nothing was measured")
  const fields = Object.keys(first) as Array<keyof A>
  return Object.fromEntries(fields.map((name) => [name, spreadOf(all.map((one) => one[name])).median])) as A
}

export const median = (all: ReadonlyArray<number>): number => spreadOf(all).median

export const sumOfServers = ({ servers }: Usage): number => servers.reduce((sum, seconds) => sum + seconds, 0)
