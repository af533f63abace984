/** The deliveries of a webhook with their outcomes. */
import { useState } from "react"
import { useAction } from "../../api/use-action.ts"
import { useLoaded } from "../../api/use-loaded.ts"
import { usePages } from "../../api/use-pages.ts"
import { restOf } from "../../api/workspace-rest.ts"
import { useConsoleTexts, useFormats } from "../../texts/language.tsx"
import { Button } from "../../ui/button.tsx"
import { FailureNotice } from "../parts/failure.tsx"
import { MomentField } from "../parts/moment-field.tsx"
import { Paged } from "../parts/paged.tsx"

interface Props {
  readonly workspaceId: string
}

const Attempts = ({ workspaceId, deliveryId }: Props & { readonly deliveryId: string }) => {
  const { host } = useConsoleTexts()
  const { moment } = useFormats()
  const { value, error } = useLoaded(deliveryId, () =>
    restOf(workspaceId).getWebhookDelivery({ params: { id: deliveryId } }),
  )
  return (
    <>
      <FailureNotice error={error} />
      <ol aria-label={host.attempts}>
        {(value?.attempts ?? []).map(({ number, startedAt, durationMs, outcome, statusCode, error: fault }) => (
          <li key={number}>
            {number}. {moment(startedAt)}: {outcome} {statusCode ?? fault ?? ""} ({durationMs} ms)
          </li>
        ))}
      </ol>
    </>
  )
}

/** Repeats the deliveries since a time. Each answer names where the next portion begins. */
const Replay = ({
  workspaceId,
  webhookId,
  onDone,
}: Props & { readonly webhookId: string; readonly onDone: () => void }) => {
  const { host } = useConsoleTexts()
  const [since, choose] = useState<string | null>(null)
  const [count, show] = useState<number | undefined>(undefined)
  const replay = useAction(async () => {
    let sent = 0
    for (let from = since; from !== null; ) {
      const { deliveries, nextSince } = await restOf(workspaceId).replayWebhook({
        params: { id: webhookId },
        payload: { since: from },
      })
      sent += deliveries
      from = nextSince
    }
    show(sent)
    onDone()
  })
  return (
    <div className="row">
      <MomentField name="since" label={host.replaySince} value={since} onChange={choose} />
      <Button isDisabled={since === null} isPending={replay.isPending} onPress={() => void replay.run()}>
        {host.replay}
      </Button>
      <span role="status">{count === undefined ? "" : host.replayed(count)}</span>
      <FailureNotice error={replay.error} />
    </div>
  )
}

export const Deliveries = ({ workspaceId, webhookId }: Props & { readonly webhookId: string }) => {
  const { host } = useConsoleTexts()
  const { moment } = useFormats()
  const api = restOf(workspaceId)
  const [shown, show] = useState<string | undefined>(undefined)
  const pages = usePages(webhookId, "deliveries", (at) =>
    api.listWebhookDeliveries({
      params: { id: webhookId },
      query: { limit: 25, ...at },
    }),
  )
  const again = useAction(async (id: string) => {
    await api.redeliverWebhookDelivery({ params: { id } })
    pages.reload()
  })
  return (
    <div className="panel stack">
      <div className="row row-apart">
        <h3>{host.deliveries}</h3>
        <Button isPending={pages.isLoading} onPress={pages.reload}>
          {host.refresh}
        </Button>
      </div>
      <Replay workspaceId={workspaceId} webhookId={webhookId} onDone={pages.reload} />
      <FailureNotice error={again.error} />
      <Paged pages={pages} empty={host.noDeliveries}>
        {(deliveries) => (
          <ul className="rows" aria-label={host.deliveries}>
            {deliveries.map(({ id, type, status, createdAt, attemptCount, lastStatusCode, lastError }) => (
              <li key={id}>
                <div className="row row-apart">
                  <span>
                    {type}{" "}
                    <span className="quiet">
                      {moment(createdAt)}, {host.deliveryStatus[status]}, {host.tries(attemptCount)}{" "}
                      {lastStatusCode ?? lastError ?? ""}
                    </span>
                  </span>
                  <span className="row">
                    <Button
                      aria-label={`${host.attempts}: ${type}, ${moment(createdAt)}`}
                      aria-expanded={shown === id}
                      onPress={() => show((now) => (now === id ? undefined : id))}
                    >
                      {host.attempts}
                    </Button>
                    <Button
                      aria-label={`${host.redeliver}: ${type}, ${moment(createdAt)}`}
                      isPending={again.isPending}
                      onPress={() => void again.run(id)}
                    >
                      {host.redeliver}
                    </Button>
                  </span>
                </div>
                {shown === id ? <Attempts workspaceId={workspaceId} deliveryId={id} /> : null}
              </li>
            ))}
          </ul>
        )}
      </Paged>
    </div>
  )
}
