/** Notice that the account's address is not verified, with a button to send the email again. */
import type { AccountView } from "@gathercue/client"
import { useState } from "react"
import { rest } from "../../api/rest.ts"
import { useAction } from "../../api/use-action.ts"
import { useTexts } from "../../texts/language.tsx"
import { Button, LinkButton } from "../../ui/button.tsx"
import { FailureNotice } from "../parts/failure.tsx"

export const VerifyNotice = ({ view }: { readonly view: AccountView }) => {
  const { host } = useTexts()
  const [answer, asked] = useState<{ readonly verifyUrl?: string } | undefined>(undefined)
  const { run, isPending, error } = useAction(() => rest.resendVerification())
  const verifyUrl = answer?.verifyUrl ?? view.verifyUrl
  return (
    <div className="notice">
      <p>{host.notVerified(view.account.email)}</p>
      <FailureNotice error={error} />
      <div className="row">
        <Button isPending={isPending} onPress={() => void run().then(asked)}>
          {host.emailAgain}
        </Button>
        {/* In development no email is sent. */}
        {verifyUrl === undefined ? null : <LinkButton href={verifyUrl}>{host.verify}</LinkButton>}
        <span role="status">{answer === undefined ? "" : host.emailOut}</span>
      </div>
    </div>
  )
}
