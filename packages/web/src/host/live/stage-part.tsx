/** Raised hands, longest up first, and the people on stage. */
import { useCommand, useEvent } from "@gathercue/client/react"
import { useFormats, useTexts } from "../../texts/language.tsx"
import { Button } from "../../ui/button.tsx"
import { Failure } from "../parts/failure.tsx"
import { type ClientProps, type LiveProps, useCan } from "./live-props.ts"

const OnStage = ({ client }: ClientProps) => {
  const { host, live } = useTexts()
  const speakers =
    useEvent(client, ({ presence }) =>
      (presence.mode === "list" ? presence.list : presence.staff).filter(({ role }) => role === "speaker"),
    ) ?? []
  const { send, isPending, error } = useCommand(client)
  if (speakers.length === 0) return null
  return (
    <section className="panel stack" aria-label={live.stage}>
      <h2>{live.stage}</h2>
      <ul className="rows" aria-label={live.stage}>
        {speakers.map(({ participantId: id, name }) => (
          <li key={id} className="row row-apart">
            <span>{name}</span>
            <Button
              aria-label={`${host.offStage}: ${name}`}
              isPending={isPending}
              onPress={() => void send("role.set", { id, role: "viewer" })}
            >
              {host.offStage}
            </Button>
          </li>
        ))}
      </ul>
      <Failure error={error} />
    </section>
  )
}

export const StagePart = ({ client }: LiveProps) => {
  const { host } = useTexts()
  const { time } = useFormats()
  const queue = useEvent(client, ({ hands }) => hands.queue) ?? []
  const mayInvite = useCan(client, "stage.invite")
  const mayLower = useCan(client, "hand.lowerFor")
  const { send, isPending, error } = useCommand(client)
  return (
    <>
      <section className="stack" aria-label={host.hands}>
        <h2>{host.hands}</h2>
        {queue.length === 0 ? <p className="quiet">{host.noHands}</p> : null}
        <ul className="rows" aria-label={host.hands}>
          {queue.map(({ participantId: id, name, note, at }) => (
            <li key={id} className="row row-apart">
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
            </li>
          ))}
        </ul>
        {mayLower && queue.length > 1 ? (
          <div className="row">
            <Button isPending={isPending} onPress={() => void send("hand.lowerFor", { all: true })}>
              {host.lowerAll}
            </Button>
          </div>
        ) : null}
        <Failure error={error} />
      </section>
      <OnStage client={client} />
    </>
  )
}
