/** Partners whose signed tokens let their people join as guests. */
import { useState } from "react"
import { rest } from "../../api/rest.ts"
import { useAction } from "../../api/use-action.ts"
import { usePages } from "../../api/use-pages.ts"
import { useConsoleTexts, useFormats } from "../../texts/language.tsx"
import { Button } from "../../ui/button.tsx"
import { FieldForm, useFieldFaults } from "../../ui/field-form.tsx"
import { TextField } from "../../ui/fields.tsx"
import { ConfirmButton } from "../parts/confirm-button.tsx"
import { FailureNotice } from "../parts/failure.tsx"
import { Paged } from "../parts/paged.tsx"
import type { WorkspaceProps } from "./workspace-page.tsx"

const PARTNER_FIELDS = ["issuer", "jwksUrl", "publicKeyPem"] as const

const NewPartner = ({ workspaceId, onMade }: { readonly workspaceId: string; readonly onMade: () => void }) => {
  const { host } = useConsoleTexts()
  const [issuer, writeIssuer] = useState("")
  const [jwksUrl, writeUrl] = useState("")
  const [publicKeyPem, writeKey] = useState("")
  const { run, isPending, error } = useAction(() =>
    rest.createGuestIntegration({
      params: { id: workspaceId },
      payload: {
        issuer: issuer.trim(),
        ...(jwksUrl.trim() === "" ? {} : { jwksUrl: jwksUrl.trim() }),
        ...(publicKeyPem.trim() === "" ? {} : { publicKeyPem: publicKeyPem.trim() }),
      },
    }),
  )
  const { errors, left } = useFieldFaults(error, PARTNER_FIELDS)
  const submit = async (submitted: React.FormEvent) => {
    submitted.preventDefault()
    if ((await run()) === undefined) return
    writeIssuer("")
    writeUrl("")
    writeKey("")
    onMade()
  }
  return (
    <FieldForm
      className="panel stack"
      aria-label={host.newPartner}
      errors={errors}
      onSubmit={(submitted) => void submit(submitted)}
    >
      <TextField
        name="issuer"
        label={host.issuer}
        hint={host.issuerHint}
        value={issuer}
        onChange={writeIssuer}
        isRequired
      />
      <TextField
        name="jwksUrl"
        label={host.jwksUrl}
        hint={host.oneOfBoth}
        type="url"
        value={jwksUrl}
        onChange={writeUrl}
      />
      <TextField name="publicKeyPem" label={host.publicKey} lines={4} value={publicKeyPem} onChange={writeKey} />
      <FailureNotice error={left} />
      <Button type="submit" isPending={isPending}>
        {host.newPartner}
      </Button>
    </FieldForm>
  )
}

export const GuestsPart = ({ workspaceId, mayManage }: WorkspaceProps) => {
  const { host } = useConsoleTexts()
  const { moment } = useFormats()
  const pages = usePages(workspaceId, "integrations", (at) =>
    rest.listGuestIntegrations({
      params: { id: workspaceId },
      query: at,
    }),
  )
  const { run, isPending, error } = useAction((integrationId: string) =>
    rest.deleteGuestIntegration({ params: { id: workspaceId, integrationId } }).then(() => true),
  )
  return (
    <section className="stack" aria-label={host.partners}>
      <h2>{host.partners}</h2>
      {mayManage ? <NewPartner workspaceId={workspaceId} onMade={pages.reload} /> : null}
      <Paged pages={pages} empty={host.noPartners}>
        {(integrations) => (
          <ul className="rows" aria-label={host.partners}>
            {integrations.map(({ id, issuer, jwksUrl, publicKeyFingerprint, lastVerifiedAt, lastError }) => (
              <li key={id} className="row row-apart">
                <span>
                  {issuer}{" "}
                  <span className="quiet">
                    {jwksUrl ?? publicKeyFingerprint},{" "}
                    {lastVerifiedAt === null ? host.neverUsed : host.lastUsed(moment(lastVerifiedAt))}
                    {lastError === null ? "" : `, ${lastError}`}
                  </span>
                </span>
                {mayManage ? (
                  <ConfirmButton
                    label={host.revoke}
                    name={issuer}
                    question={host.revokePartnerQuestion}
                    isPending={isPending}
                    error={error}
                    onConfirm={async () => {
                      const isDone = (await run(id)) === true
                      if (isDone) pages.reload()
                      return isDone
                    }}
                  />
                ) : null}
              </li>
            ))}
          </ul>
        )}
      </Paged>
    </section>
  )
}
