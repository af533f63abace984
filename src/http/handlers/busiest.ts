/** The busiest workspaces, keys and events of the last minutes, with their names. */

import type { Queryable } from "../../store/database.ts"
import { nameEvents, nameKeys, nameWorkspaces } from "../../store/platform/busiest.ts"
import type { LoadEntry, LoadReport } from "../../telemetry/busiest.ts"

const SHOWN = 10
/** Number of events whose commands are attributed to their workspaces. */
const ATTRIBUTED = 1000

/** More candidates than shown, because some may be deleted by now. */
const CANDIDATES = 2 * SHOWN

const idsOf = (loads: ReadonlyArray<LoadEntry>) => loads.map(({ id }) => id)

/** Loads with their names, in order; loads without a name are left out. */
const named = <N extends { readonly id: string }>(loads: ReadonlyArray<LoadEntry>, names: ReadonlyArray<N>) => {
  const byId = new Map(names.map((name) => [name.id, name]))
  return loads.flatMap((load) => {
    const name = byId.get(load.id)
    return name === undefined ? [] : [{ ...load, ...name }]
  })
}

export const readBusiest = async (sql: Queryable, report: LoadReport) => {
  const eventLoads = report.events.slice(0, ATTRIBUTED)
  const events = named(eventLoads, await nameEvents(sql, idsOf(eventLoads)))
  const sums = new Map(report.workspaces.map((load) => [load.id, load]))
  for (const { workspaceId: id, commands } of events) {
    const sum = sums.get(id) ?? { id, requests: 0, commands: 0 }
    sums.set(id, { ...sum, commands: sum.commands + commands })
  }
  const workspaceLoads = [...sums.values()]
    .toSorted((a, b) => b.requests + b.commands - a.requests - a.commands)
    .slice(0, CANDIDATES)
  const keyLoads = report.keys.slice(0, CANDIDATES)
  const workspaces = named(workspaceLoads, await nameWorkspaces(sql, idsOf(workspaceLoads)))
  const keys = named(keyLoads, await nameKeys(sql, idsOf(keyLoads)))
  return {
    seconds: report.seconds,
    workspaces: workspaces.slice(0, SHOWN).map(({ id, slug, requests, commands }) => ({
      workspaceId: id,
      workspaceSlug: slug,
      requests,
      commands,
    })),
    keys: keys
      .slice(0, SHOWN)
      .map(({ id, name, workspaceId, requests }) => ({ keyId: id, name, workspaceId, requests })),
    events: events.slice(0, SHOWN).map(({ id, name, workspaceId, requests, commands }) => ({
      eventId: id,
      title: name,
      workspaceId,
      requests,
      commands,
    })),
  }
}
