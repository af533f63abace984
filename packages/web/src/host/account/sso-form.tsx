/** Sign-in through a workspace's identity provider, found by the domain of the address. */
import { useState } from "react"
import { Form } from "react-aria-components"
import { beginSignInAt } from "../../api/provider-sign-in.ts"
import { rest } from "../../api/rest.ts"
import { useAction } from "../../api/use-action.ts"
import { useConsoleTexts } from "../../texts/language.tsx"
import { whyFailed } from "../../texts/words.ts"
import { Button } from "../../ui/button.tsx"
import { TextField } from "../../ui/fields.tsx"
import { ProblemNotice } from "../../ui/notice.tsx"
import { expectSignIn } from "./account-context.tsx"

/** Leaves the page if a workspace has proved the domain; otherwise resolves to false. */
const beginSso = async (email: string, isFresh = false): Promise<boolean> => {
  const { connection } = await rest.findSso({ query: { email } })
  if (connection === null) return false
  expectSignIn()
  beginSignInAt(`/v1/auth/sso/${connection.id}/start${isFresh ? "?fresh=true" : ""}`)
  return true
}

/** Sign-in button for a known address. `isFresh` asks the person to sign in again. */
export const SsoButton = ({ email, isFresh = false }: { readonly email: string; readonly isFresh?: boolean }) => {
  const texts = useConsoleTexts()
  const { run, isPending, error } = useAction(() => beginSso(email, isFresh))
  const [isNone, tell] = useState(false)
  return (
    <>
      <ProblemNotice>{isNone ? texts.host.sso.none : whyFailed(texts, error)}</ProblemNotice>
      <Button isPending={isPending} onPress={() => void run().then((isBegun) => tell(isBegun === false))}>
        {texts.host.sso.signIn}
      </Button>
    </>
  )
}

export const SsoForm = () => {
  const texts = useConsoleTexts()
  const { sso, email } = texts.host
  const [isOpen, open] = useState(false)
  const [isNone, tell] = useState(false)
  const { run, isPending, error } = useAction((email: string) => beginSso(email))
  const submit = async (submitted: React.FormEvent<HTMLFormElement>) => {
    submitted.preventDefault()
    tell(false)
    tell((await run(String(new FormData(submitted.currentTarget).get("ssoEmail")).trim())) === false)
  }
  if (!isOpen) {
    return (
      <div className="row">
        <Button onPress={() => open(true)}>{sso.signIn}</Button>
      </div>
    )
  }
  return (
    <Form className="stack" onSubmit={(submitted) => void submit(submitted)}>
      <TextField
        name="ssoEmail"
        type="email"
        label={email}
        hint={sso.hint}
        isRequired
        autoFocus
        autoComplete="username"
      />
      <ProblemNotice>{isNone ? sso.none : whyFailed(texts, error)}</ProblemNotice>
      <div className="row">
        <Button type="submit" isPending={isPending}>
          {sso.go}
        </Button>
      </div>
    </Form>
  )
}
