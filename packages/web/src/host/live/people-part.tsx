/** List of people, with a host's actions on one of them. */
import type { ParticipantView } from "@gathercue/client"
import { useState } from "react"
import { GridList, GridListItem, ListLayout, Virtualizer } from "react-aria-components"
import { usePeople } from "../../live/use-people.ts"
import { useConsoleTexts } from "../../texts/language.tsx"
import { Button } from "../../ui/button.tsx"
import { TextField } from "../../ui/fields.tsx"
import { FailureNotice } from "../parts/failure.tsx"
import { Blocked } from "./blocked.tsx"
import type { LiveProps } from "./live-props.ts"
import { PersonPanel } from "./person-panel.tsx"

/** A row is as high as its name requires. */
const LAYOUT = { estimatedRowSize: 48 }

const marksOf = (host: ReturnType<typeof useConsoleTexts>["host"], { hand, muted }: ParticipantView): string =>
  [hand ? host.handUp : "", muted ? host.muted : ""].filter((mark) => mark !== "").join(", ")

export const PeoplePart = ({ client }: LiveProps) => {
  const { host } = useConsoleTexts()
  const [query, search] = useState("")
  const [chosen, choose] = useState<string | undefined>(undefined)
  const { items, error, hasMore, more, isLoading, refresh } = usePeople(client, query.trim())
  const people = items ?? []
  const person = people.find(({ participantId }) => participantId === chosen)
  return (
    <div className="split">
      <section className="stack" aria-label={host.people}>
        <TextField label={host.search} type="search" value={query} onChange={search} autoComplete="off" />
        <FailureNotice error={error} />
        <Virtualizer layout={ListLayout} layoutOptions={LAYOUT}>
          <GridList
            aria-label={host.people}
            className="people-list"
            items={people.map((one) => ({ ...one, id: one.participantId }))}
            selectionMode="single"
            selectedKeys={chosen === undefined ? [] : [chosen]}
            onSelectionChange={(keys) => {
              const [key] = keys === "all" ? [] : [...keys]
              choose(key === undefined ? undefined : String(key))
            }}
            renderEmptyState={() => <p className="quiet">{host.nobody}</p>}
          >
            {(one) => (
              <GridListItem id={one.id} textValue={one.name} className="person option">
                <span className="person-name">
                  <bdi>{one.name}</bdi>
                </span>
                <span>{marksOf(host, one)}</span>
                <span className="badge">{host.roles[one.role]}</span>
              </GridListItem>
            )}
          </GridList>
        </Virtualizer>
        {hasMore ? (
          <div className="row">
            <Button isPending={isLoading} onPress={more}>
              {host.more}
            </Button>
          </div>
        ) : null}
      </section>
      <div className="stack">
        {person === undefined ? (
          <p className="quiet">{host.choosePerson}</p>
        ) : (
          <PersonPanel
            key={person.participantId}
            client={client}
            person={person}
            onChange={() => void refresh(person).catch(() => {})}
          />
        )}
        <Blocked client={client} />
      </div>
    </div>
  )
}
