/** People who were removed for good, whom a host may readmit. */
import { useCommand, useEvent } from "@gathercue/client/react"
import { useConsoleTexts } from "../../texts/language.tsx"
import { Button } from "../../ui/button.tsx"
import { LongList } from "../../ui/long-list.tsx"
import { FailureNotice } from "../parts/failure.tsx"
import { knownName } from "./known-names.ts"
import type { ClientProps } from "./live-props.ts"

export const Blocked = ({ client }: ClientProps) => {
  const { host } = useConsoleTexts()
  const blocked = useEvent(client, (state) => state.blocked) ?? []
  const { send, isPending, error } = useCommand(client)
  if (blocked.length === 0) return null
  return (
    <section className="panel stack" aria-label={host.blocked}>
      <h2>{host.blocked}</h2>
      <LongList label={host.blocked} items={blocked} idOf={(id) => id} className="rows" rowClassName="row row-apart">
        {(id) => (
          <>
            <span>{knownName(id)}</span>
            <Button
              aria-label={`${host.unblock}: ${knownName(id)}`}
              isPending={isPending}
              onPress={() => void send("participant.unblock", { id })}
            >
              {host.unblock}
            </Button>
          </>
        )}
      </LongList>
      <FailureNotice error={error} />
    </section>
  )
}
