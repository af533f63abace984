/** Raised hands, longest up first, and the people on stage. */
import { useCommand, useEvent } from "@gathercue/client/react"
import { useConsoleTexts, useFormats } from "../../texts/language.tsx"
import { Button } from "../../ui/button.tsx"
import { LongList } from "../../ui/long-list.tsx"
import { FailureNotice } from "../parts/failure.tsx"
import { type ClientProps, type LiveProps, useCan } from "./live-props.ts"

/** Maximum number listed by the server. */
const LISTED = 200

const OnStage = ({ client }: ClientProps) => {
  const { host, live } = useConsoleTexts()
  const speakers =
    useEvent(client, ({ presence }) =>
      (presence.mode === "list" ? presence.list : presence.staff).filter(({ role }) => role === "speaker"),
    ) ?? []
  const { send, isPending, error } = useCommand(client)
  if (speakers.length === 0) return null
  return (
    <section className="panel stack" aria-label={live.stage}>
      <h2>{live.stage}</h2>
      <LongList
        label={live.stage}
        items={speakers}
        idOf={({ participantId }) => participantId}
        className="rows"
        rowClassName="row row-apart"
      >
        {({ participantId: id, name }) => (
          <>
            <span>{name}</span>
            <Button
              aria-label={`${host.offStage}: ${name}`}
              isPending={isPending}
              onPress={() => void send("role.set", { id, role: "viewer" })}
            >
              {host.offStage}
            </Button>
          </>
        )}
      </LongList>
      <FailureNotice error={error} />
    </section>
  )
}

export const StagePart = ({ client }: LiveProps) => {
  const { host } = useConsoleTexts()
  const { time } = useFormats()
  const queue = useEvent(client, ({ hands }) => hands.queue) ?? []
  const count = useEvent(client, ({ hands }) => hands.count) ?? 0
  // The number arrives a moment after the list.
  const unlisted = queue.length < LISTED ? 0 : count - queue.length
  const mayInvite = useCan(client, "stage.invite")
  const mayLower = useCan(client, "hand.lowerFor")
  const { send, isPending, error } = useCommand(client)
  return (
    <>
      <section className="stack" aria-label={host.hands}>
        <h2>{host.hands}</h2>
        {queue.length === 0 ? <p className="quiet">{host.noHands}</p> : null}
        <LongList
          label={host.hands}
          items={queue}
          idOf={({ participantId }) => participantId}
          className="rows"
          rowClassName="row row-apart"
        >
          {({ participantId: id, name, note, at }) => (
            <>
              <span>
                {name} <span className="quiet">{time(at)}</span> {note}
              </span>
              <span className="row">
                {mayInvite ? (
                  <Button
                    aria-label={`${host.inviteOnStage}: ${name}`}
                    isPending={isPending}
                    onPress={() => void send("stage.invite", { id })}
                  >
                    {host.inviteOnStage}
                  </Button>
                ) : null}
                {mayLower ? (
                  <Button
                    aria-label={`${host.lowerHand}: ${name}`}
                    isPending={isPending}
                    onPress={() => void send("hand.lowerFor", { id })}
                  >
                    {host.lowerHand}
                  </Button>
                ) : null}
              </span>
            </>
          )}
        </LongList>
        {unlisted > 0 ? <p>{host.moreHands(unlisted)}</p> : null}
        {mayLower && queue.length > 1 ? (
          <div className="row">
            <Button isPending={isPending} onPress={() => void send("hand.lowerFor", { all: true })}>
              {host.lowerAll}
            </Button>
          </div>
        ) : null}
        <FailureNotice error={error} />
      </section>
      <OnStage client={client} />
    </>
  )
}
