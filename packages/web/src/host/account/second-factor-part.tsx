/** Second factors: setting up an authenticator app with a QR code, passkeys, recovery codes, and their removal. */
import { correction, generate } from "lean-qr"
import { toSvgPath } from "lean-qr/extras/svg"
import { useMemo, useState } from "react"
import { rest } from "../../api/rest.ts"
import { useAction } from "../../api/use-action.ts"
import { useLoaded } from "../../api/use-loaded.ts"
import { useConsoleTexts, useFormats } from "../../texts/language.tsx"
import { Button } from "../../ui/button.tsx"
import { FieldForm, useFieldFaults } from "../../ui/field-form.tsx"
import { TextField } from "../../ui/fields.tsx"
import { Notice } from "../../ui/notice.tsx"
import { ConfirmButton } from "../parts/confirm-button.tsx"
import { CopyField } from "../parts/copy-field.tsx"
import { FailureNotice } from "../parts/failure.tsx"
import { useAccount } from "./account-context.tsx"
import { PasskeysPart } from "./passkeys-part.tsx"

/** Quiet zone around the code, in modules. */
const QUIET = 4

const QrCode = ({ text, label }: { readonly text: string; readonly label: string }) => {
  const { path, size } = useMemo(() => {
    const code = generate(text, { minCorrectionLevel: correction.M })
    return { path: toSvgPath(code), size: code.size + 2 * QUIET }
  }, [text])
  return (
    <svg role="img" aria-label={label} viewBox={`${-QUIET} ${-QUIET} ${size} ${size}`} className="qr">
      <rect x={-QUIET} y={-QUIET} width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}

const FIELDS = ["code"] as const

/** `onDone` receives the recovery codes. */
const SetUp = ({ onDone }: { readonly onDone: (codes: ReadonlyArray<string>) => void }) => {
  const { host } = useConsoleTexts()
  const begin = useAction(() => rest.startTotp())
  const [begun, show] = useState<{ readonly secret: string; readonly otpauthUrl: string } | undefined>(undefined)
  const { run, isPending, error } = useAction((code: string) => rest.confirmTotp({ payload: { code } }))
  const { errors, left } = useFieldFaults(error, FIELDS)
  const submit = async (submitted: React.FormEvent<HTMLFormElement>) => {
    submitted.preventDefault()
    const done = await run(String(new FormData(submitted.currentTarget).get("code")))
    if (done !== undefined) onDone(done.recoveryCodes)
  }
  if (begun === undefined) {
    return (
      <>
        <FailureNotice error={begin.error} />
        <div className="row">
          <Button isPending={begin.isPending} onPress={() => void begin.run().then(show)}>
            {host.mfa.setUp}
          </Button>
        </div>
      </>
    )
  }
  return (
    <>
      <p>{host.mfa.scan}</p>
      <QrCode text={begun.otpauthUrl} label={host.mfa.qrCode} />
      <CopyField label={host.mfa.secret} value={begun.secret} />
      <FieldForm className="stack" errors={errors} onSubmit={(submitted) => void submit(submitted)}>
        <TextField name="code" label={host.mfa.codeShown} isRequired autoComplete="one-time-code" inputMode="numeric" />
        <FailureNotice error={left} />
        <div className="row">
          <Button type="submit" look="main" isPending={isPending}>
            {host.mfa.confirm}
          </Button>
        </div>
      </FieldForm>
    </>
  )
}

const RecoveryCodes = ({ codes }: { readonly codes: ReadonlyArray<string> }) => {
  const { host } = useConsoleTexts()
  return (
    <>
      <Notice>{host.mfa.codesOnce}</Notice>
      <ul className="rows" aria-label={host.mfa.recoveryCodes}>
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <CopyField label={host.mfa.recoveryCodes} value={codes.join(" ")} />
    </>
  )
}

type Mfa = Awaited<ReturnType<typeof rest.getMfa>>

const CodesLeft = ({
  left,
  onCodes,
}: {
  readonly left: number
  readonly onCodes: (codes: ReadonlyArray<string>) => void
}) => {
  const { host } = useConsoleTexts()
  const { run, isPending, error } = useAction(() => rest.renewRecoveryCodes())
  return (
    <>
      <h3>{host.mfa.recoveryCodes}</h3>
      <p>{host.mfa.codesLeft(left)}</p>
      <FailureNotice error={error} />
      <div className="row">
        <Button isPending={isPending} onPress={() => void run().then((done) => done && onCodes(done.recoveryCodes))}>
          {host.mfa.renew}
        </Button>
      </div>
    </>
  )
}

const Present = ({
  mfa,
  onRemoved,
}: {
  readonly mfa: Mfa & { readonly totp: object }
  readonly onRemoved: () => void
}) => {
  const { host } = useConsoleTexts()
  const { moment } = useFormats()
  const removal = useAction(() => rest.removeTotp().then(() => true))
  return (
    <>
      <p>{host.mfa.present(moment(mfa.totp.confirmedAt))}</p>
      <div className="row">
        <ConfirmButton
          label={host.mfa.remove}
          question={host.mfa.removeQuestion}
          isPending={removal.isPending}
          error={removal.error}
          onConfirm={removal.run}
          onDone={onRemoved}
        />
      </div>
    </>
  )
}

export const SecondFactorPart = () => {
  const texts = useConsoleTexts()
  const { host } = texts
  const account = useAccount()
  const { value, isLoading, error, reload } = useLoaded("mfa", (signal) => rest.getMfa({ signal }))
  const [codes, show] = useState<ReadonlyArray<string>>([])
  const changed = (shown: ReadonlyArray<string>) => {
    show(shown)
    reload()
    account.reload()
  }
  return (
    <section className="panel stack" aria-label={host.mfa.title}>
      <h2>{host.mfa.title}</h2>
      <p>{host.mfa.hint}</p>
      {value === undefined && isLoading ? <p role="status">{texts.loading}</p> : null}
      <FailureNotice error={error} />
      {value === undefined || value.totp !== null ? null : <SetUp onDone={changed} />}
      {value === undefined || value.totp === null ? null : (
        <Present mfa={{ ...value, totp: value.totp }} onRemoved={() => changed([])} />
      )}
      {value === undefined ? null : <PasskeysPart passkeys={value.passkeys} onChange={changed} />}
      {value === undefined || (value.totp === null && value.passkeys.length === 0) ? null : (
        <CodesLeft left={value.recoveryCodesLeft} onCodes={changed} />
      )}
      {codes.length === 0 ? null : <RecoveryCodes codes={codes} />}
    </section>
  )
}
