/** Signing in by email address and password, and a code where the account has a second factor. */
import { RestProblem } from "@gathercue/client"
import { useEffect, useState } from "react"
import { Form } from "react-aria-components"
import { rest } from "../../api/rest.ts"
import { useAction } from "../../api/use-action.ts"
import { useConsoleTexts } from "../../texts/language.tsx"
import { whyFailed } from "../../texts/words.ts"
import { Brand } from "../../ui/brand.tsx"
import { Button } from "../../ui/button.tsx"
import { TextField } from "../../ui/fields.tsx"
import { ProblemNotice } from "../../ui/notice.tsx"
import { SiteLinks } from "../../ui/site-links.tsx"
import { PageLink } from "../parts/page-link.tsx"
import { PageTitle } from "../parts/page-title.tsx"
import { useAccount } from "./account-context.tsx"
import { CodeForm } from "./code-form.tsx"
import { PasskeyButton } from "./passkey-button.tsx"
import { ProviderButton } from "./provider-button.tsx"
import { SignUpWay } from "./sign-up-way.tsx"
import { SsoForm } from "./sso-form.tsx"

/** A provider's sign-in that needs a code returns with the token in the fragment. */
const tokenInAddress = (): string | undefined =>
  new URLSearchParams(location.hash.slice(1)).get("mfaToken") ?? undefined

const PasswordForm = ({ onChallenge }: { readonly onChallenge: (mfaToken: string) => void }) => {
  const texts = useConsoleTexts()
  const { host } = texts
  const { enter } = useAccount()
  const { run, isPending, error } = useAction((email: string, password: string) =>
    rest.login({ payload: { email, password } }),
  )
  const submit = async (submitted: React.FormEvent<HTMLFormElement>) => {
    submitted.preventDefault()
    const fields = new FormData(submitted.currentTarget)
    const view = await run(String(fields.get("email")), String(fields.get("password")))
    if (view === undefined) return
    if ("mfaToken" in view) onChallenge(view.mfaToken)
    else enter(view)
  }
  const isWrong = error instanceof RestProblem && error.status === 401
  return (
    <>
      <Form className="stack" onSubmit={(submitted) => void submit(submitted)}>
        <TextField name="email" type="email" label={host.email} isRequired autoComplete="username" />
        <TextField name="password" type="password" label={host.password} isRequired autoComplete="current-password" />
        <ProblemNotice>{isWrong ? host.wrongPassword : whyFailed(texts, error)}</ProblemNotice>
        <Button type="submit" look="main" isPending={isPending}>
          {host.signIn}
        </Button>
      </Form>
      <PasskeyButton
        label={host.passkeys.signIn}
        onAnswer={async (response) => enter(await rest.loginWithPasskey({ payload: { response } }))}
      />
      <ProviderButton />
      <SsoForm />
      <SignUpWay>
        <p>
          <PageLink to="/sign-up">{host.signUp}</PageLink>
        </p>
      </SignUpWay>
      <p>
        <PageLink to="/reset">{host.forgotten}</PageLink>
      </p>
    </>
  )
}

export const SignInPage = () => {
  const { host } = useConsoleTexts()
  const [mfaToken, challenge] = useState(tokenInAddress)
  useEffect(() => {
    if (location.hash !== "") history.replaceState(null, "", location.pathname)
  }, [])
  return (
    <>
      <main className="page entry stack">
        <Brand />
        <PageTitle>{host.signIn}</PageTitle>
        {mfaToken === undefined ? (
          <PasswordForm onChallenge={challenge} />
        ) : (
          <CodeForm mfaToken={mfaToken} onLeave={() => challenge(undefined)} />
        )}
      </main>
      <SiteLinks to="/" />
    </>
  )
}
