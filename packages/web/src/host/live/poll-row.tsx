/** One poll with its results, and its next steps. */
import type { PollView } from "@gathercue/client"
import { useCommand, useEvent } from "@gathercue/client/react"
import { isWritten } from "../../live/poll-kinds.ts"
import { PollResultList } from "../../live/poll-results.tsx"
import { useConsoleTexts } from "../../texts/language.tsx"
import { Button } from "../../ui/button.tsx"
import { ConfirmButton } from "../parts/confirm-button.tsx"
import { FailureNotice } from "../parts/failure.tsx"
import { type ClientProps, useCan } from "./live-props.ts"

const MINUTE_MS = 60_000
/** A host's own vote is not marked. */
const NOTHING: ReadonlyArray<string> = []

const Options = ({ poll }: { readonly poll: PollView }) => (
  <ol>
    {poll.options.map(({ id, text }) => (
      <li key={id}>{text}</li>
    ))}
  </ol>
)

/** Written answers, which hosts may hide from everybody else. */
const Answers = ({ client, poll }: ClientProps & { readonly poll: PollView }) => {
  const { host } = useConsoleTexts()
  const { send, isPending, error } = useCommand(client)
  return (
    <>
      <ul className="rows">
        {poll.options.map(({ id, text, hidden = false }) => {
          const label = hidden ? host.showAnswer : host.hideAnswer
          return (
            <li key={id} className="row row-apart">
              {hidden ? <s>{text}</s> : <span>{text}</span>}
              <Button
                aria-label={`${label}: ${text}`}
                isPending={isPending}
                onPress={() => void send("poll.hide", { id: poll.id, optionId: id, on: !hidden })}
              >
                {label}
              </Button>
            </li>
          )
        })}
      </ul>
      <FailureNotice error={error} />
    </>
  )
}

export const PollRow = ({ client, poll }: ClientProps & { readonly poll: PollView }) => {
  const { host } = useConsoleTexts()
  const { id, rev, question, status, published } = poll
  const mayRun = useCan(client, "poll.open")
  const mayDelete = useCan(client, "poll.delete")
  const mayHide = useCan(client, "poll.hide")
  const unnamed = useEvent(client, ({ signedOutVotes }) => signedOutVotes[id])
  const { send, isPending, error } = useCommand(client)
  const removal = useCommand(client)
  const button = (label: string, act: () => void) => (
    <Button aria-label={`${label}: ${question}`} isPending={isPending} onPress={act}>
      {label}
    </Button>
  )
  return (
    <>
      <p>
        <b>{question}</b> <span className="badge">{host.pollStatus[status]}</span>{" "}
        {published ? <span className="badge">{host.published}</span> : null}{" "}
        {unnamed === undefined ? null : (
          <span className="quiet">{host.unnamedVotes(unnamed.voters, unnamed.addresses)}</span>
        )}
      </p>
      {status === "draft" ? <Options poll={poll} /> : <PollResultList poll={poll} chosen={NOTHING} />}
      {mayHide && isWritten(poll.kind) ? <Answers client={client} poll={poll} /> : null}
      <div className="row">
        {mayRun && status === "draft" ? (
          <>
            {button(host.openPoll, () => void send("poll.open", { id }, { rev }))}
            {button(host.openPollMinute, () => void send("poll.open", { id, durationMs: MINUTE_MS }, { rev }))}
          </>
        ) : null}
        {mayRun && status === "open" ? button(host.closePoll, () => void send("poll.close", { id }, { rev })) : null}
        {mayRun && status !== "draft"
          ? button(
              published ? host.unpublishPoll : host.publishPoll,
              () => void send("poll.publish", { id, on: !published }, { rev }),
            )
          : null}
        {mayDelete ? (
          <ConfirmButton
            label={host.delete}
            name={question}
            question={host.deletePollQuestion}
            isPending={removal.isPending}
            error={removal.error}
            onConfirm={async () => (await removal.send("poll.delete", { id }, { rev })) !== undefined}
          />
        ) : null}
      </div>
      <FailureNotice error={error} />
    </>
  )
}
