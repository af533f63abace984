/** One webhook, with its deliveries on demand. */
import { useState } from "react"
import { useAction } from "../../api/use-action.ts"
import { restOf } from "../../api/workspace-rest.ts"
import { useConsoleTexts } from "../../texts/language.tsx"
import { Button } from "../../ui/button.tsx"
import { ConfirmButton } from "../parts/confirm-button.tsx"
import { FailureNotice } from "../parts/failure.tsx"
import { Deliveries } from "./deliveries.tsx"
import { SecretShown } from "./secret-shown.tsx"

type Webhook = Awaited<ReturnType<ReturnType<typeof restOf>["listWebhooks"]>>["webhooks"][number]

export const WebhookRow = ({
  workspaceId,
  webhook,
  onChange,
}: {
  readonly workspaceId: string
  readonly webhook: Webhook
  readonly onChange: () => void
}) => {
  const { host } = useConsoleTexts()
  const { id, url, status, eventId, eventTypes, headerNames } = webhook
  const turn = status === "active" ? host.disable : host.enable
  const api = restOf(workspaceId)
  const params = { id }
  const [isOpen, open] = useState(false)
  const [round, again] = useState(0)
  const [secret, show] = useState<string | undefined>(undefined)
  const change = useAction(async () => {
    await api.patchWebhook({ params, payload: { status: status === "active" ? "disabled" : "active" } })
    onChange()
  })
  const ping = useAction(async () => {
    await api.pingWebhook({ params })
    open(true)
    again((now) => now + 1)
  })
  const examples = useAction(async () => {
    await api.sendWebhookExamples({ params })
    open(true)
    again((now) => now + 1)
  })
  const rotation = useAction(async () => show((await api.rotateWebhookSecret({ params })).secret))
  const removal = useAction(() => api.deleteWebhook({ params }).then(() => true))
  return (
    <li className="stack">
      <div className="row row-apart">
        <span>
          {url}{" "}
          <span className="quiet">
            {host.webhookStatus[status]}
            {webhook.disabledReason === "failing" ? `, ${host.webhookFailing}` : ""}
            {webhook.disabledReason === "gone" ? `, ${host.webhookGone}` : ""},{" "}
            {eventTypes.length === 0 ? host.allTypes : eventTypes.join(", ")}
            {eventId === null ? "" : `, ${host.webhookOfEvent(eventId)}`}
            {headerNames.length === 0 ? "" : `, ${host.webhookWithHeaders(headerNames.join(", "))}`}
          </span>
        </span>
        <span className="row">
          <Button aria-expanded={isOpen} aria-label={`${host.deliveries}: ${url}`} onPress={() => open((now) => !now)}>
            {host.deliveries}
          </Button>
          <Button aria-label={`${host.ping}: ${url}`} isPending={ping.isPending} onPress={() => void ping.run()}>
            {host.ping}
          </Button>
          <Button
            aria-label={`${host.sendExamples}: ${url}`}
            isPending={examples.isPending}
            onPress={() => void examples.run()}
          >
            {host.sendExamples}
          </Button>
          <Button
            aria-label={`${host.rotateSecret}: ${url}`}
            isPending={rotation.isPending}
            onPress={() => void rotation.run()}
          >
            {host.rotateSecret}
          </Button>
          <Button aria-label={`${turn}: ${url}`} isPending={change.isPending} onPress={() => void change.run()}>
            {turn}
          </Button>
          <ConfirmButton
            label={host.delete}
            name={url}
            question={host.deleteWebhookQuestion}
            isPending={removal.isPending}
            error={removal.error}
            onConfirm={removal.run}
            onDone={onChange}
          />
        </span>
      </div>
      <FailureNotice error={change.error ?? ping.error ?? examples.error ?? rotation.error} />
      <SecretShown label={host.webhookSecret} secret={secret} />
      {isOpen ? <Deliveries key={round} workspaceId={workspaceId} webhookId={id} /> : null}
    </li>
  )
}
