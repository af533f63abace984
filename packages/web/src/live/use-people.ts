/**
 * People at the event with a name. A small audience is in the state and updates by itself; a large one is listed by the server on request,
 * page by page.
 */
import type { GatewayClient, ParticipantView } from "@gathercue/client"
import { useEvent } from "@gathercue/client/react"
import { useEffect, useMemo } from "react"
import { type Pages, usePages } from "../api/use-pages.ts"
import { useSettled } from "../api/use-settled.ts"
import { searchForm } from "../texts/search-form.ts"

const PER_PAGE = 100
const MOST_PER_PAGE = 200
/** Interval of rereading a large audience, which changes all the time. */
const LIST_AGAIN_MS = 5000

const NOBODY: ReadonlyArray<ParticipantView> = []

export const useAudience = (client: GatewayClient): ReadonlyArray<ParticipantView> | undefined =>
  useEvent(client, ({ presence }) => (presence.mode === "list" ? presence.list : undefined))

const bySearch = (people: ReadonlyArray<ParticipantView>, query: string): ReadonlyArray<ParticipantView> => {
  const wanted = searchForm(query)
  return people
    .filter(({ name }) => searchForm(name).includes(wanted))
    .sort((a, b) => a.name.localeCompare(b.name) || a.participantId.localeCompare(b.participantId))
}

interface People extends Omit<Pages<ParticipantView>, "edit" | "reload"> {
  /** Shows a person's current state after a command about them. */
  readonly refresh: (person: ParticipantView) => Promise<void>
}

const LONGEST_QUERY = 100

export const usePeople = (client: GatewayClient, query: string): People => {
  const audience = useAudience(client)
  const isKnown = useEvent(client, ({ presence }) => presence.mode)
  const isListed = isKnown === "summary"
  // A participant may request one page per second.
  const wanted = useSettled(query)
  const roster = usePages(`${isListed} ${wanted}`, "participants", async (at) => {
    if (!isListed) return { participants: NOBODY, nextCursor: null }
    const query = { limit: PER_PAGE, ...(wanted === "" ? {} : { query: wanted }), ...at }
    return (await client.command("roster.list", query)).d
  })
  const { reload, edit } = roster
  const refresh = async ({ participantId, name }: ParticipantView): Promise<void> => {
    if (!isListed) return
    const { d } = await client.command("roster.list", { query: name.slice(0, LONGEST_QUERY), limit: MOST_PER_PAGE })
    const now = d.participants.find((one) => one.participantId === participantId)
    // People with the same name may precede them and fill the page.
    if (now === undefined && d.nextCursor !== null) return
    edit((items) => items.flatMap((one) => (one.participantId === participantId ? (now ?? []) : one)))
  }
  const isLong = (roster.items?.length ?? 0) > PER_PAGE
  // biome-ignore lint/correctness/useExhaustiveDependencies: `reload` is another function at each render.
  useEffect(() => {
    // A person who has scrolled on must not be returned to the first page.
    if (!isListed || isLong) return
    const timer = setInterval(reload, LIST_AGAIN_MS)
    return () => clearInterval(timer)
  }, [isListed, isLong])
  const found = useMemo(() => (audience === undefined ? undefined : bySearch(audience, query)), [audience, query])
  if (isListed) return { ...roster, refresh }
  return { items: found, error: null, isLoading: found === undefined, hasMore: false, more: () => {}, refresh }
}
