/** Asks the person to prove their identity again for a waiting request, which `api/fresh-sign-in.ts` then repeats. */
import { RestProblem } from "@gathercue/client"
import { useCallback, useEffect, useRef, useState } from "react"
import { Form } from "react-aria-components"
import { askBy } from "../../api/fresh-sign-in.ts"
import { beginProviderSignIn } from "../../api/provider-sign-in.ts"
import { rest } from "../../api/rest.ts"
import { useAction } from "../../api/use-action.ts"
import { useLoaded } from "../../api/use-loaded.ts"
import { useConsoleTexts } from "../../texts/language.tsx"
import { whyFailed } from "../../texts/words.ts"
import { Button } from "../../ui/button.tsx"
import { Dialog } from "../../ui/dialog.tsx"
import { TextField } from "../../ui/fields.tsx"
import { ProblemNotice } from "../../ui/notice.tsx"
import { expectSignIn, useAccount } from "./account-context.tsx"
import { useEntryWays } from "./entry-ways.ts"
import { type PasskeyAnswer, PasskeyButton } from "./passkey-button.tsx"
import { SsoButton } from "./sso-form.tsx"

const ByProvider = () => {
  const { host } = useConsoleTexts()
  const { view } = useAccount()
  const isOffered = useEntryWays()?.configured === true
  const begin = () => {
    expectSignIn()
    beginProviderSignIn(true)
  }
  return (
    <>
      <p>{host.proof.byProvider}</p>
      <div className="row">
        {isOffered ? (
          <Button look="main" onPress={begin}>
            {host.signInByProvider}
          </Button>
        ) : null}
        {view === undefined ? null : <SsoButton email={view.account.email} isFresh />}
      </div>
    </>
  )
}

const ProofForm = ({ method, onDone }: { readonly method: "password" | "code"; readonly onDone: () => void }) => {
  const texts = useConsoleTexts()
  const { proof, mfa, password } = texts.host
  const { run, isPending, error } = useAction((given: string) => rest.prove({ payload: { [method]: given } }))
  const submit = async (submitted: React.FormEvent<HTMLFormElement>) => {
    submitted.preventDefault()
    // Forms around the dialog in the React tree would otherwise handle the submit.
    submitted.stopPropagation()
    if ((await run(String(new FormData(submitted.currentTarget).get("proof")))) !== undefined) onDone()
  }
  const isWrong = error instanceof RestProblem && (error.code === "forbidden" || error.code === "bad_request")
  const wrong = method === "password" ? texts.host.account.wrongPassword : mfa.wrongCode
  return (
    <Form className="stack" onSubmit={(submitted) => void submit(submitted)}>
      {method === "password" ? (
        <TextField name="proof" type="password" label={password} isRequired autoFocus autoComplete="current-password" />
      ) : (
        <TextField
          name="proof"
          label={mfa.code}
          hint={mfa.codeHint}
          isRequired
          autoFocus
          autoComplete="one-time-code"
        />
      )}
      <ProblemNotice>{isWrong ? wrong : whyFailed(texts, error)}</ProblemNotice>
      <div className="row">
        <Button type="submit" look="main" isPending={isPending}>
          {proof.confirm}
        </Button>
      </div>
    </Form>
  )
}

const Ways = ({ onDone }: { readonly onDone: () => void }) => {
  const texts = useConsoleTexts()
  const { value, error } = useLoaded("proof", (signal) => rest.getProof({ signal }))
  if (value === undefined) return <ProblemNotice>{whyFailed(texts, error)}</ProblemNotice>
  const typed = value.methods.find((one) => one !== "passkey")
  const prove = async (passkey: PasskeyAnswer) => {
    await rest.prove({ payload: { passkey } })
    onDone()
  }
  return (
    <>
      {value.methods.includes("passkey") ? <PasskeyButton label={texts.host.proof.byPasskey} onAnswer={prove} /> : null}
      {typed === undefined ? <ByProvider /> : <ProofForm method={typed} onDone={onDone} />}
    </>
  )
}

export const ProofDialog = () => {
  const { host } = useConsoleTexts()
  const [isOpen, open] = useState(false)
  const waiting = useRef<((isDone: boolean) => void)[]>([])
  const settle = useCallback((isDone: boolean) => {
    open(false)
    for (const resolve of waiting.current.splice(0)) resolve(isDone)
  }, [])
  useEffect(() => {
    askBy(
      () =>
        new Promise((resolve) => {
          waiting.current.push(resolve)
          open(true)
        }),
    )
    return () => {
      askBy(undefined)
      settle(false)
    }
  }, [settle])
  return (
    <Dialog title={host.proof.title} isOpen={isOpen} onClose={() => settle(false)}>
      <p>{host.proof.hint}</p>
      <Ways onDone={() => settle(true)} />
    </Dialog>
  )
}
