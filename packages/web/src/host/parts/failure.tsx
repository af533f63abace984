/** Why a request or a command failed. Where the session is over, there is a way to sign in again: the address stays. */
import { RestProblem } from "@gathercue/client"
import { useTexts } from "../../texts/language.tsx"
import { whyFailed } from "../../texts/words.ts"
import { Button } from "../../ui/button.tsx"
import { Problem } from "../../ui/notice.tsx"
import { useAccount } from "../account/account-context.tsx"
import { changeMeanwhile } from "./change-meanwhile.ts"

export const Failure = ({ error }: { readonly error: unknown }) => {
  const texts = useTexts()
  const { view, expire } = useAccount()
  const isSignedOut = view !== undefined && error instanceof RestProblem && error.status === 401
  return (
    <>
      <Problem>{changeMeanwhile(texts, error) ?? whyFailed(texts, error)}</Problem>
      {isSignedOut ? <Button onPress={expire}>{texts.host.signIn}</Button> : null}
    </>
  )
}
