/** The second step of a sign-in: a code of the authenticator app, or a recovery code. */
import { RestProblem } from "@gathercue/client"
import { Form } from "react-aria-components"
import { rest } from "../../api/rest.ts"
import { useAction } from "../../api/use-action.ts"
import { useConsoleTexts } from "../../texts/language.tsx"
import { whyFailed } from "../../texts/words.ts"
import { Button } from "../../ui/button.tsx"
import { TextField } from "../../ui/fields.tsx"
import { ProblemNotice } from "../../ui/notice.tsx"
import { useAccount } from "./account-context.tsx"
import { PasskeyButton } from "./passkey-button.tsx"

export const CodeForm = ({ mfaToken, onLeave }: { readonly mfaToken: string; readonly onLeave: () => void }) => {
  const texts = useConsoleTexts()
  const { mfa, signIn } = texts.host
  const { enter } = useAccount()
  const { run, isPending, error } = useAction((code: string) => rest.loginWithCode({ payload: { mfaToken, code } }))
  const submit = async (submitted: React.FormEvent<HTMLFormElement>) => {
    submitted.preventDefault()
    const view = await run(String(new FormData(submitted.currentTarget).get("code")))
    if (view !== undefined) enter(view)
  }
  const words: { readonly [code: string]: string } = {
    unauthorized: mfa.wrongCode,
    bad_request: mfa.wrongCode,
    invalid_token: mfa.tooLate,
  }
  const known = error instanceof RestProblem ? words[error.code] : undefined
  return (
    <Form className="stack" onSubmit={(submitted) => void submit(submitted)}>
      <TextField name="code" label={mfa.code} hint={mfa.codeHint} isRequired autoFocus autoComplete="one-time-code" />
      <ProblemNotice>{known ?? whyFailed(texts, error)}</ProblemNotice>
      <div className="row">
        <Button type="submit" look="main" isPending={isPending}>
          {signIn}
        </Button>
        <Button onPress={onLeave}>{texts.cancel}</Button>
      </div>
      <PasskeyButton
        label={texts.host.passkeys.signIn}
        onAnswer={async (response) => enter(await rest.loginWithPasskey({ payload: { response } }))}
      />
    </Form>
  )
}
