/** People who are present, with a search. */
import type { GatewayClient } from "@gathercue/client"
import { useState } from "react"
import { usePeople } from "../live/use-people.ts"
import { useTexts } from "../texts/language.tsx"
import { whyFailed } from "../texts/words.ts"
import { Button } from "../ui/button.tsx"
import { Dialog } from "../ui/dialog.tsx"
import { TextField } from "../ui/fields.tsx"
import { ProblemNotice } from "../ui/notice.tsx"

interface Props {
  readonly client: GatewayClient
  readonly onClose: () => void
}

export const WhoIsHere = ({ client, onClose }: Props) => {
  const texts = useTexts()
  const { live } = texts
  const [query, search] = useState("")
  const { items, error, isLoading, hasMore, more } = usePeople(client, query.trim())
  return (
    <Dialog title={live.whoIsHere} isOpen onClose={onClose}>
      <TextField label={live.searchPeople} type="search" value={query} onChange={search} autoComplete="off" />
      <ProblemNotice>{whyFailed(texts, error)}</ProblemNotice>
      {items === undefined ? <p role="status">{texts.loading}</p> : null}
      {items?.length === 0 && !hasMore ? <p role="status">{live.nobodyFound}</p> : null}
      <ul aria-label={live.whoIsHere}>
        {(items ?? []).map(({ participantId, name, role }) => (
          <li key={participantId} className="row row-apart">
            <bdi>{name}</bdi>
            <span className="badge">{live.roleNames[role]}</span>
          </li>
        ))}
      </ul>
      <div className="row">
        {hasMore ? (
          <Button isPending={isLoading} onPress={more}>
            {live.morePeople}
          </Button>
        ) : null}
        <Button onPress={onClose}>{texts.close}</Button>
      </div>
    </Dialog>
  )
}
