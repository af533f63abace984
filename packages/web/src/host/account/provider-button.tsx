/** Sign-in through an identity provider, where the server has one. */
import { beginProviderSignIn } from "../../api/provider-sign-in.ts"
import { useConsoleTexts } from "../../texts/language.tsx"
import { Button } from "../../ui/button.tsx"
import { ProblemNotice } from "../../ui/notice.tsx"
import { expectSignIn } from "./account-context.tsx"
import { useEntryWays } from "./entry-ways.ts"

/** The server returns the browser with the reason. */
const reason = (): string | null => new URLSearchParams(location.search).get("signIn")

export const ProviderButton = () => {
  const { host } = useConsoleTexts()
  const isOffered = useEntryWays()?.configured === true
  const words: Readonly<Record<string, string>> = {
    refused: host.providerRefused,
    closed: host.providerClosed,
    unreachable: host.sso.unreachable,
    unverified: host.sso.unverified,
  }
  const begin = () => {
    expectSignIn()
    beginProviderSignIn()
  }
  return (
    <>
      <ProblemNotice>{words[reason() ?? ""] ?? null}</ProblemNotice>
      {isOffered ? (
        <div className="row">
          <Button onPress={begin}>{host.signInByProvider}</Button>
        </div>
      ) : null}
    </>
  )
}
