/** Identity providers of the workspace, managed by its owners, and whether members must sign in through one. */
import { useState } from "react"
import { rest } from "../../api/rest.ts"
import { useAction } from "../../api/use-action.ts"
import { useLoaded } from "../../api/use-loaded.ts"
import { useConsoleTexts } from "../../texts/language.tsx"
import { Button } from "../../ui/button.tsx"
import { CheckField } from "../../ui/check-field.tsx"
import { Choice } from "../../ui/choice.tsx"
import { FieldForm, useFieldFaults } from "../../ui/field-form.tsx"
import { TextField } from "../../ui/fields.tsx"
import { ProblemNotice } from "../../ui/notice.tsx"
import { useAccount } from "../account/account-context.tsx"
import { ConfirmButton } from "../parts/confirm-button.tsx"
import { CopyField } from "../parts/copy-field.tsx"
import { FailureNotice } from "../parts/failure.tsx"

type Connection = Awaited<ReturnType<typeof rest.listConnections>>["connections"][number]

const FIELDS = ["name", "issuer", "clientId", "clientSecret", "domains"] as const

/** Form for a new connection, or for changing one: its issuer stays, and its secret too when none is typed. */
const ConnectionForm = ({
  workspaceId,
  connection,
  onDone,
}: {
  readonly workspaceId: string
  readonly connection?: Connection
  readonly onDone: () => void
}) => {
  const { host } = useConsoleTexts()
  const [defaultRole, choose] = useState<"member" | "admin">(connection?.defaultRole ?? "member")
  const { run, isPending, error } = useAction((fields: FormData) => {
    const text = (field: string) => String(fields.get(field)).trim()
    const domains = text("domains")
      .toLowerCase()
      .split(/[\s,]+/)
    const payload = { name: text("name"), clientId: text("clientId"), domains, defaultRole }
    const clientSecret = text("clientSecret")
    if (connection === undefined) {
      const whole = { ...payload, issuer: text("issuer"), clientSecret }
      return rest.createConnection({ params: { id: workspaceId }, payload: whole })
    }
    const params = { id: workspaceId, connectionId: connection.id }
    return rest.patchConnection({ params, payload: clientSecret === "" ? payload : { ...payload, clientSecret } })
  })
  const isNew = connection === undefined
  const { errors, left } = useFieldFaults(error, FIELDS)
  const submit = async (submitted: React.FormEvent<HTMLFormElement>) => {
    submitted.preventDefault()
    const form = submitted.currentTarget
    if ((await run(new FormData(form))) === undefined) return
    form.reset()
    onDone()
  }
  return (
    <FieldForm className="stack" errors={errors} onSubmit={(submitted) => void submit(submitted)}>
      <TextField
        name="name"
        label={host.sso.name}
        defaultValue={connection?.name ?? ""}
        isRequired
        maxLength={200}
        autoComplete="off"
      />
      {isNew ? <TextField name="issuer" type="url" label={host.sso.issuer} isRequired autoComplete="off" /> : null}
      <TextField
        name="clientId"
        label={host.sso.clientId}
        defaultValue={connection?.clientId ?? ""}
        isRequired
        autoComplete="off"
      />
      <TextField
        name="clientSecret"
        type="password"
        label={host.sso.clientSecret}
        isRequired={isNew}
        autoComplete="off"
        {...(isNew ? {} : { hint: host.sso.secretStays })}
      />
      <TextField
        name="domains"
        label={host.sso.domains}
        defaultValue={connection?.domains.map(({ domain }) => domain).join(" ") ?? ""}
        hint={host.sso.domainsHint}
        isRequired
        autoComplete="off"
      />
      <Choice
        label={host.sso.defaultRole}
        options={[
          ["member", host.workspaceRoles.member],
          ["admin", host.workspaceRoles.admin],
        ]}
        value={defaultRole}
        onChange={choose}
      />
      <FailureNotice error={left} words={{ conflict: isNew ? host.sso.taken : host.sso.lastOne }} />
      <div className="row">
        <Button type="submit" isPending={isPending}>
          {isNew ? host.sso.add : host.sso.save}
        </Button>
      </div>
    </FieldForm>
  )
}

const Row = ({
  workspaceId,
  connection,
  onChange,
}: {
  readonly workspaceId: string
  readonly connection: Connection
  readonly onChange: () => void
}) => {
  const { host } = useConsoleTexts()
  const { id, name, issuer, domains, redirectUri, lastError } = connection
  const [isChanging, change] = useState(false)
  const changed = () => {
    change(false)
    onChange()
  }
  const params = { id: workspaceId, connectionId: id }
  const check = useAction(() => rest.checkConnection({ params }).finally(onChange))
  const removal = useAction(() => rest.deleteConnection({ params }).then(() => true))
  return (
    <li className="stack">
      <div className="row row-apart">
        <span>
          {name} <span className="quiet">{issuer}</span>
        </span>
        <span className="row">
          <Button
            aria-label={`${host.sso.check}: ${name}`}
            isPending={check.isPending}
            onPress={() => void check.run()}
          >
            {host.sso.check}
          </Button>
          <Button aria-label={`${host.sso.change}: ${name}`} onPress={() => change(!isChanging)}>
            {host.sso.change}
          </Button>
          <ConfirmButton
            label={host.sso.remove}
            name={name}
            question={host.sso.removeQuestion}
            isPending={removal.isPending}
            error={removal.error}
            words={{ conflict: host.sso.lastOne }}
            onConfirm={removal.run}
            onDone={onChange}
          />
        </span>
      </div>
      {isChanging ? <ConnectionForm workspaceId={workspaceId} connection={connection} onDone={changed} /> : null}
      <FailureNotice error={check.error} words={{ conflict: host.sso.taken }} />
      <ProblemNotice>{lastError === null ? null : host.sso.failed(lastError)}</ProblemNotice>
      <CopyField label={host.sso.redirectUri} value={redirectUri} />
      {domains.map(({ domain, proved, record }) =>
        proved ? (
          <p key={domain}>{host.sso.proved(domain)}</p>
        ) : (
          <CopyField key={domain} label={host.sso.record(record.name)} value={record.value} />
        ),
      )}
    </li>
  )
}

export const ConnectionsPart = ({ workspaceId }: { readonly workspaceId: string }) => {
  const { host } = useConsoleTexts()
  const { view, reload: reloadAccount } = useAccount()
  const isRequired = view?.workspaces.find(({ id }) => id === workspaceId)?.sso === "required"
  const { value, error, reload } = useLoaded(workspaceId, (signal) =>
    rest.listConnections({ params: { id: workspaceId } }, { signal }),
  )
  const rule = useAction((sso: "optional" | "required") =>
    rest.patchWorkspace({ params: { id: workspaceId }, payload: { sso } }),
  )
  return (
    <section className="panel stack" aria-label={host.sso.title}>
      <h2>{host.sso.title}</h2>
      <p>{host.sso.explained}</p>
      <FailureNotice error={error} />
      <ul className="rows" aria-label={host.sso.title}>
        {(value?.connections ?? []).map((connection) => (
          <Row key={connection.id} workspaceId={workspaceId} connection={connection} onChange={reload} />
        ))}
      </ul>
      <ConnectionForm workspaceId={workspaceId} onDone={reload} />
      <CheckField
        isSelected={isRequired}
        isDisabled={rule.isPending}
        onChange={(wanted) => void rule.run(wanted ? "required" : "optional").then((done) => done && reloadAccount())}
      >
        {host.sso.require}
      </CheckField>
      <FailureNotice error={rule.error} words={{ conflict: host.sso.noneProved }} />
    </section>
  )
}
