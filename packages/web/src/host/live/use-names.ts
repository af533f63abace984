/** Names of people by id: a small audience is in the state, while the roster of a large one is read page by page. */
import { CommandRefused, type GatewayClient } from "@gathercue/client"
import { useEffect, useMemo, useState } from "react"
import { useAudience } from "../../live/use-people.ts"

const PER_PAGE = 200
const MS_OF_REFUSAL = 1000

type Names = ReadonlyMap<string, string>

const NONE: Names = new Map()

/** Undefined when the server asks for a pause. */
const readPage = async (client: GatewayClient, cursor: string | undefined) => {
  try {
    return (await client.command("roster.list", { limit: PER_PAGE, ...(cursor === undefined ? {} : { cursor }) })).d
  } catch (failure) {
    if (!(failure instanceof CommandRefused) || failure.refusal.code !== "rate_limited") throw failure
    await new Promise((resolve) => setTimeout(resolve, failure.refusal.retryAfterMs ?? MS_OF_REFUSAL))
    return undefined
  }
}

/** Ends when all have a name, or no further page exists. */
const readNames = async (
  client: GatewayClient,
  wanted: ReadonlySet<string>,
  signal: AbortSignal,
  onNames: (found: Names) => void,
): Promise<void> => {
  const found = new Map<string, string>()
  let cursor: string | undefined
  while (found.size < wanted.size && !signal.aborted) {
    const page = await readPage(client, cursor)
    if (page === undefined) continue
    for (const { participantId, name } of page.participants)
      if (wanted.has(participantId)) found.set(participantId, name)
    if (!signal.aborted) onNames(new Map(found))
    if (page.nextCursor === null) return
    cursor = page.nextCursor
  }
}

/** Returns the id in place of an unknown name. */
export const useNames = (client: GatewayClient, ids: ReadonlyArray<string>): ((id: string) => string) => {
  const audience = useAudience(client)
  const [read, keep] = useState(NONE)
  const isListed = audience !== undefined
  const wanted = [...new Set(ids)].sort().join(" ")
  useEffect(() => {
    if (isListed || wanted === "") return
    const ended = new AbortController()
    readNames(client, new Set(wanted.split(" ")), ended.signal, keep).catch(() => {})
    return () => ended.abort()
  }, [client, isListed, wanted])
  const known = useMemo(
    () => (audience === undefined ? read : new Map(audience.map(({ participantId, name }) => [participantId, name]))),
    [audience, read],
  )
  return (id) => known.get(id) ?? id
}
