/** People who wait for admission. */
import type { LobbyPolicy } from "@gathercue/client"
import { useCommand, useEvent } from "@gathercue/client/react"
import { useConsoleTexts, useFormats } from "../../texts/language.tsx"
import { Button } from "../../ui/button.tsx"
import { Choice } from "../../ui/choice.tsx"
import { LongList } from "../../ui/long-list.tsx"
import { FailureNotice } from "../parts/failure.tsx"
import { keepName } from "./known-names.ts"
import { type LiveProps, useCan } from "./live-props.ts"

const POLICIES: ReadonlyArray<LobbyPolicy> = ["open", "ask", "closed"]

export const LobbyPart = ({ client }: LiveProps) => {
  const { host } = useConsoleTexts()
  const { time } = useFormats()
  const lobby = useEvent(client, (state) => state.lobby)
  const mayAdmit = useCan(client, "lobby.admit")
  const { send, isPending, error } = useCommand(client)
  if (lobby === undefined) return null
  if (!mayAdmit) return <p>{host.noLobby}</p>
  // The server lists only the first ones.
  const unlisted = lobby.total - lobby.waiting.length
  return (
    <section className="stack" aria-label={host.lobby}>
      <Choice
        label={host.lobby}
        options={POLICIES.map((policy) => [policy, host.lobbyPolicy[policy]] as const)}
        value={lobby.policy}
        onChange={(mode) => void send("lobby.policy", { mode })}
      />
      <p role="status">{host.waiting(lobby.total)}</p>
      <FailureNotice error={error} />
      {lobby.total === 0 ? null : (
        <div className="row">
          <Button look="main" isPending={isPending} onPress={() => void send("lobby.admit", { all: true })}>
            {host.admitAll}
          </Button>
        </div>
      )}
      <LongList
        label={host.lobby}
        items={lobby.waiting}
        idOf={({ participantId }) => participantId}
        className="rows"
        rowClassName="row row-apart"
      >
        {({ participantId: id, name, since }) => (
          <>
            <span>
              {name} <span className="quiet">{host.since(time(since))}</span>
            </span>
            <span className="row">
              <Button
                aria-label={`${host.admit}: ${name}`}
                isPending={isPending}
                onPress={() => void send("lobby.admit", { ids: [id] })}
              >
                {host.admit}
              </Button>
              <Button
                aria-label={`${host.deny}: ${name}`}
                isPending={isPending}
                onPress={() => void send("lobby.deny", { ids: [id] })}
              >
                {host.deny}
              </Button>
              <Button
                look="danger"
                aria-label={`${host.denyForGood}: ${name}`}
                isPending={isPending}
                onPress={() => {
                  keepName({ participantId: id, name })
                  void send("lobby.deny", { ids: [id], block: true })
                }}
              >
                {host.denyForGood}
              </Button>
            </span>
          </>
        )}
      </LongList>
      {unlisted === 0 ? null : <p>{host.moreWaiting(unlisted)}</p>}
    </section>
  )
}
