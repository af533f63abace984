/** Connection state of the console, with the reason of a failure. */
import { RestProblem } from "@gathercue/client"
import { useConnection } from "@gathercue/client/react"
import { useEffect } from "react"
import { useConsoleTexts } from "../../texts/language.tsx"
import { whyFailed } from "../../texts/words.ts"
import { Button } from "../../ui/button.tsx"
import { Notice } from "../../ui/notice.tsx"
import { useAccount } from "../account/account-context.tsx"
import type { ClientProps } from "./live-props.ts"

export const LiveConnection = ({ client }: ClientProps) => {
  const texts = useConsoleTexts()
  const { attendee } = texts
  const { expire } = useAccount()
  const { status, error } = useConnection(client)
  const isSignedOut = status === "closed" && error instanceof RestProblem && error.status === 401
  useEffect(() => {
    if (isSignedOut) expire()
  }, [isSignedOut, expire])
  if (status === "ready") return null
  if (status === "lobby") return <Notice>{attendee.lobby}</Notice>
  if (status !== "closed") return <Notice>{error === null ? attendee.connecting : attendee.reconnecting}</Notice>
  return (
    <div role="alert" className="notice notice-bad">
      <p>{whyFailed(texts, error) ?? attendee.left}</p>
      <Button onPress={() => void client.connect().catch(() => {})}>{texts.retry}</Button>
    </div>
  )
}
