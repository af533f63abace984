/** Signing in by e-mail address and password. */
import { RestProblem } from "@gathercue/client"
import { Form } from "react-aria-components"
import { rest } from "../../api/rest.ts"
import { useAction } from "../../api/use-action.ts"
import { useTexts } from "../../texts/language.tsx"
import { whyFailed } from "../../texts/words.ts"
import { Button } from "../../ui/button.tsx"
import { TextField } from "../../ui/fields.tsx"
import { Problem } from "../../ui/notice.tsx"
import { SiteLinks } from "../../ui/site-links.tsx"
import { LanguageChoice } from "../parts/language-choice.tsx"
import { PageLink } from "../parts/page-link.tsx"
import { PageTitle } from "../parts/page-title.tsx"
import { useAccount } from "./account-context.tsx"
import { ProviderButton } from "./provider-button.tsx"

export const SignInPage = () => {
  const texts = useTexts()
  const { host } = texts
  const { enter } = useAccount()
  const { run, isPending, error } = useAction((email: string, password: string) =>
    rest.login({ payload: { email, password } }),
  )
  const submit = async (submitted: React.FormEvent<HTMLFormElement>) => {
    submitted.preventDefault()
    const fields = new FormData(submitted.currentTarget)
    const view = await run(String(fields.get("email")), String(fields.get("password")))
    if (view !== undefined) enter(view)
  }
  const isWrong = error instanceof RestProblem && error.status === 401
  return (
    <>
      <main className="page page-narrow stack">
        <PageTitle>{host.signIn}</PageTitle>
        <Form className="stack" onSubmit={(submitted) => void submit(submitted)}>
          <TextField name="email" type="email" label={host.email} isRequired autoComplete="username" />
          <TextField name="password" type="password" label={host.password} isRequired autoComplete="current-password" />
          <Problem>{isWrong ? host.wrongPassword : whyFailed(texts, error)}</Problem>
          <Button type="submit" look="main" isPending={isPending}>
            {host.signIn}
          </Button>
        </Form>
        <ProviderButton />
        <p>
          <PageLink to="/sign-up">{host.signUp}</PageLink>
        </p>
        <p>
          <PageLink to="/reset">{host.forgotten}</PageLink>
        </p>
        <div className="row">
          <LanguageChoice />
        </div>
      </main>
      <SiteLinks to="/" />
    </>
  )
}
