/** Webhook addresses that the server notifies. */
import { useState } from "react"
import { useAction } from "../../api/use-action.ts"
import { useLoaded } from "../../api/use-loaded.ts"
import { usePages } from "../../api/use-pages.ts"
import { restOf } from "../../api/workspace-rest.ts"
import { useConsoleTexts } from "../../texts/language.tsx"
import { Button } from "../../ui/button.tsx"
import { CheckField } from "../../ui/check-field.tsx"
import { FieldForm, useFieldFaults } from "../../ui/field-form.tsx"
import { TextField } from "../../ui/fields.tsx"
import { FailureNotice } from "../parts/failure.tsx"
import { Paged } from "../parts/paged.tsx"
import { SecretShown } from "./secret-shown.tsx"
import { WebhookRow } from "./webhook-row.tsx"

type Type = Awaited<ReturnType<ReturnType<typeof restOf>["listWebhookEventTypes"]>>["eventTypes"][number]["type"]

const WEBHOOK_FIELDS = ["url", "eventId", "headers"] as const

/** A line without a colon is a name without a value, which the server refuses. */
const headersOf = (text: string): ReadonlyArray<{ readonly name: string; readonly value: string }> =>
  text.split("\n").flatMap((line) => {
    const [name = "", ...value] = line.split(":")
    return line.trim() === "" ? [] : { name: name.trim(), value: value.join(":").trim() }
  })

const NewWebhook = ({ workspaceId, onMade }: { readonly workspaceId: string; readonly onMade: () => void }) => {
  const { host } = useConsoleTexts()
  const api = restOf(workspaceId)
  const types = useLoaded("types", () => api.listWebhookEventTypes())
  const [url, write] = useState("")
  const [eventId, writeEvent] = useState("")
  const [headers, writeHeaders] = useState("")
  const [chosen, choose] = useState<ReadonlyArray<Type>>([])
  const [secret, show] = useState<string | undefined>(undefined)
  const { run, isPending, error } = useAction(() =>
    api.createWebhook({
      payload: {
        url: url.trim(),
        eventTypes: chosen,
        headers: headersOf(headers),
        ...(eventId.trim() === "" ? {} : { eventId: eventId.trim() }),
      },
    }),
  )
  const { errors, left } = useFieldFaults(error, WEBHOOK_FIELDS)
  const submit = async (submitted: React.FormEvent) => {
    submitted.preventDefault()
    const made = await run()
    if (made === undefined) return
    show(made.secret)
    write("")
    writeHeaders("")
    onMade()
  }
  return (
    <FieldForm
      className="panel stack"
      aria-label={host.newWebhook}
      errors={errors}
      onSubmit={(submitted) => void submit(submitted)}
    >
      <TextField
        name="url"
        label={host.webhookUrl}
        hint={host.webhookHint}
        type="url"
        value={url}
        onChange={write}
        isRequired
      />
      <TextField
        name="eventId"
        label={host.webhookEvent}
        hint={host.webhookEventHint}
        value={eventId}
        onChange={writeEvent}
      />
      <TextField
        name="headers"
        label={host.webhookHeaders}
        hint={host.webhookHeadersHint}
        lines={2}
        value={headers}
        onChange={writeHeaders}
      />
      <fieldset>
        <legend>{host.webhookTypes}</legend>
        {(types.value?.eventTypes ?? []).map(({ type }) => (
          <CheckField
            key={type}
            isSelected={chosen.includes(type)}
            onChange={(on) => choose((now) => (on ? [...now, type] : now.filter((one) => one !== type)))}
          >
            {type}
          </CheckField>
        ))}
      </fieldset>
      <FailureNotice error={left} />
      <Button type="submit" isPending={isPending}>
        {host.newWebhook}
      </Button>
      <SecretShown label={host.webhookSecret} secret={secret} />
    </FieldForm>
  )
}

export const WebhooksPart = ({ workspaceId }: { readonly workspaceId: string }) => {
  const { host } = useConsoleTexts()
  const pages = usePages(workspaceId, "webhooks", (at) =>
    restOf(workspaceId).listWebhooks({
      query: at,
    }),
  )
  return (
    <section className="stack" aria-label={host.webhooks}>
      <h2>{host.webhooks}</h2>
      <NewWebhook workspaceId={workspaceId} onMade={pages.reload} />
      <Paged pages={pages} empty={host.noWebhooks}>
        {(webhooks) => (
          <ul className="rows" aria-label={host.webhooks}>
            {webhooks.map((webhook) => (
              <WebhookRow key={webhook.id} workspaceId={workspaceId} webhook={webhook} onChange={pages.reload} />
            ))}
          </ul>
        )}
      </Paged>
    </section>
  )
}
