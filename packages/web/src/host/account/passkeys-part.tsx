/** Passkeys of the account: created, named and removed. */
import { useState } from "react"
import { rest } from "../../api/rest.ts"
import { useAction } from "../../api/use-action.ts"
import { useConsoleTexts, useFormats } from "../../texts/language.tsx"
import { Button } from "../../ui/button.tsx"
import { FieldForm, useFieldFaults } from "../../ui/field-form.tsx"
import { TextField } from "../../ui/fields.tsx"
import { ProblemNotice } from "../../ui/notice.tsx"
import { ConfirmButton } from "../parts/confirm-button.tsx"
import { FailureNotice } from "../parts/failure.tsx"
import { hasPasskeys } from "./passkey-button.tsx"

type Passkey = Awaited<ReturnType<typeof rest.getMfa>>["passkeys"][number]

const FIELDS = ["name"] as const

const NewPasskey = ({ onDone }: { readonly onDone: (codes: ReadonlyArray<string>) => void }) => {
  const { host } = useConsoleTexts()
  const [name, write] = useState("")
  const { run, isPending, error } = useAction(async () => {
    const { makePasskey } = await import("../../api/passkeys.ts")
    return rest.createPasskey({ payload: { name: name.trim(), response: await makePasskey() } })
  })
  const { errors, left } = useFieldFaults(error, FIELDS)
  const submit = async (submitted: React.FormEvent) => {
    submitted.preventDefault()
    const made = await run()
    if (made === undefined) return
    write("")
    onDone(made.recoveryCodes)
  }
  // The browser shows the authenticator's own reasons, such as a person who cancelled.
  const isOfBrowser = left instanceof Error && String((left as { readonly code?: unknown }).code).startsWith("ERROR_")
  return (
    <FieldForm className="stack" errors={errors} onSubmit={(submitted) => void submit(submitted)}>
      <TextField
        name="name"
        label={host.passkeys.name}
        hint={host.passkeys.nameHint}
        value={name}
        onChange={write}
        isRequired
        maxLength={200}
        autoComplete="off"
      />
      {isOfBrowser ? <ProblemNotice>{host.passkeys.notMade}</ProblemNotice> : <FailureNotice error={left} />}
      <div className="row">
        <Button type="submit" isPending={isPending}>
          {host.passkeys.add}
        </Button>
      </div>
    </FieldForm>
  )
}

const Row = ({
  passkey: { id, name, createdAt, lastUsedAt },
  onChange,
}: {
  passkey: Passkey
  onChange: () => void
}) => {
  const texts = useConsoleTexts()
  const { host } = texts
  const { moment } = useFormats()
  const [isNaming, startNaming] = useState(false)
  const [given, write] = useState(name)
  const renaming = useAction(() => rest.patchPasskey({ params: { passkeyId: id }, payload: { name: given.trim() } }))
  const removal = useAction(() => rest.deletePasskey({ params: { passkeyId: id } }).then(() => true))
  const { errors, left } = useFieldFaults(renaming.error, FIELDS)
  const submit = async (submitted: React.FormEvent) => {
    submitted.preventDefault()
    if ((await renaming.run()) === undefined) return
    startNaming(false)
    onChange()
  }
  return (
    <li className="stack">
      <div className="row row-apart">
        <span>
          {name}{" "}
          <span className="quiet">
            {host.account.since(moment(createdAt))},{" "}
            {lastUsedAt === null ? host.neverUsed : host.lastUsed(moment(lastUsedAt))}
          </span>
        </span>
        <span className="row">
          <Button aria-label={`${host.passkeys.rename}: ${name}`} onPress={() => startNaming(!isNaming)}>
            {host.passkeys.rename}
          </Button>
          <ConfirmButton
            label={host.passkeys.remove}
            name={name}
            question={host.passkeys.removeQuestion}
            isPending={removal.isPending}
            error={removal.error}
            onConfirm={removal.run}
            onDone={onChange}
          />
        </span>
      </div>
      {isNaming ? (
        <FieldForm className="row" errors={errors} onSubmit={(submitted) => void submit(submitted)}>
          <TextField name="name" label={host.passkeys.name} value={given} onChange={write} isRequired maxLength={200} />
          <Button type="submit" isPending={renaming.isPending}>
            {texts.save}
          </Button>
          <FailureNotice error={left} />
        </FieldForm>
      ) : null}
    </li>
  )
}

export const PasskeysPart = ({
  passkeys,
  onChange,
}: {
  readonly passkeys: ReadonlyArray<Passkey>
  readonly onChange: (codes: ReadonlyArray<string>) => void
}) => {
  const { host } = useConsoleTexts()
  return (
    <>
      <h3>{host.passkeys.title}</h3>
      <p>{host.passkeys.hint}</p>
      <ul className="rows" aria-label={host.passkeys.title}>
        {passkeys.map((passkey) => (
          <Row key={passkey.id} passkey={passkey} onChange={() => onChange([])} />
        ))}
      </ul>
      {hasPasskeys() ? <NewPasskey onDone={onChange} /> : <p className="quiet">{host.passkeys.unknown}</p>}
    </>
  )
}
