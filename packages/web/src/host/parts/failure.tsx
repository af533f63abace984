/** Reason why a request or a command failed. For an expired session there is a link to sign in again, which keeps the address. */
import { RestProblem } from "@gathercue/client"
import { useConsoleTexts } from "../../texts/language.tsx"
import { whyFailed } from "../../texts/words.ts"
import { Button } from "../../ui/button.tsx"
import { ProblemNotice } from "../../ui/notice.tsx"
import { useAccount } from "../account/account-context.tsx"
import { SsoButton } from "../account/sso-form.tsx"
import { changeMeanwhile } from "./change-meanwhile.ts"
import { PageLink } from "./page-link.tsx"

export interface FailureProps {
  readonly error: unknown
  /** Texts by refusal code, where the general text says too little. */
  readonly words?: { readonly [code: string]: string }
}

export const FailureNotice = ({ error, words = {} }: FailureProps) => {
  const texts = useConsoleTexts()
  const { view, expire } = useAccount()
  const isRefused = error instanceof RestProblem
  const here = isRefused ? words[error.code] : undefined
  return (
    <>
      <ProblemNotice>{here ?? changeMeanwhile(texts, error) ?? whyFailed(texts, error)}</ProblemNotice>
      {view !== undefined && isRefused && error.status === 401 ? (
        <Button onPress={expire}>{texts.host.signIn}</Button>
      ) : null}
      {view !== undefined && isRefused && error.code === "sso_required" ? (
        <SsoButton email={view.account.email} />
      ) : null}
      {isRefused && error.code === "mfa_required" ? <PageLink to="/account">{texts.host.mfa.setUp}</PageLink> : null}
    </>
  )
}
