/** Notice that the account's address is not verified, with a button to send the email again. */
import type { AccountView } from "@gathercue/client"
import { X } from "lucide-react"
import { useState } from "react"
import { rest } from "../../api/rest.ts"
import { useAction } from "../../api/use-action.ts"
import { useConsoleTexts } from "../../texts/language.tsx"
import { Button, LinkButton } from "../../ui/button.tsx"
import { FailureNotice } from "../parts/failure.tsx"

/** The notice stays closed in this tab. */
const CLOSED = "gathercue.verify-notice-closed"

export const VerifyNotice = ({ view }: { readonly view: AccountView }) => {
  const texts = useConsoleTexts()
  const { host } = texts
  const [answer, asked] = useState<{ readonly verifyUrl?: string } | undefined>(undefined)
  const { run, isPending, error } = useAction(() => rest.resendVerification())
  const [isClosed, close] = useState(() => sessionStorage.getItem(CLOSED) !== null)
  if (isClosed) return null
  const verifyUrl = answer?.verifyUrl ?? view.verifyUrl
  return (
    <div className="notice row row-apart">
      <span>{host.notVerified(view.account.email)}</span>
      <FailureNotice error={error} />
      <div className="row">
        <Button isPending={isPending} onPress={() => void run().then(asked)}>
          {host.emailAgain}
        </Button>
        {/* In development no email is sent. */}
        {verifyUrl === undefined ? null : <LinkButton href={verifyUrl}>{host.verify}</LinkButton>}
        <span role="status">{answer === undefined ? "" : host.emailOut}</span>
        <Button
          look="quiet"
          aria-label={texts.close}
          onPress={() => {
            sessionStorage.setItem(CLOSED, "true")
            close(true)
          }}
        >
          <X />
        </Button>
      </div>
    </div>
  )
}
