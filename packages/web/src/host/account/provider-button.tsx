/** The way to sign in through an identity provider, where the server has one. */
import { beginProviderSignIn } from "../../api/provider-sign-in.ts"
import { rest } from "../../api/rest.ts"
import { useLoaded } from "../../api/use-loaded.ts"
import { useTexts } from "../../texts/language.tsx"
import { Button } from "../../ui/button.tsx"
import { Problem } from "../../ui/notice.tsx"
import { expectSignIn } from "./account-context.tsx"

/** The server sends the browser back with it. */
const isRefused = (): boolean => new URLSearchParams(location.search).get("signIn") === "refused"

export const ProviderButton = () => {
  const { host } = useTexts()
  // The form for passwords works without the answer, so a failure is not shown.
  const { value } = useLoaded("idp", (signal) => rest.getIdp({}, { signal }))
  if (value?.configured !== true) return null
  const begin = () => {
    expectSignIn()
    beginProviderSignIn()
  }
  return (
    <>
      <Problem>{isRefused() ? host.providerRefused : null}</Problem>
      <div className="row">
        <Button onPress={begin}>{host.signInByProvider}</Button>
      </div>
    </>
  )
}
