/** A button that asks the person for a passkey, and passes on the answer. */
import { RestProblem } from "@gathercue/client"
import { useAction } from "../../api/use-action.ts"
import { useConsoleTexts } from "../../texts/language.tsx"
import { whyFailed } from "../../texts/words.ts"
import { Button } from "../../ui/button.tsx"
import { ProblemNotice } from "../../ui/notice.tsx"

const loadPasskeys = () => import("../../api/passkeys.ts")

export type PasskeyAnswer = Awaited<ReturnType<Awaited<ReturnType<typeof loadPasskeys>>["answerByPasskey"]>>

export const hasPasskeys = (): boolean => "PublicKeyCredential" in window

export const PasskeyButton = ({
  label,
  onAnswer,
}: {
  readonly label: string
  readonly onAnswer: (answer: PasskeyAnswer) => Promise<void>
}) => {
  const texts = useConsoleTexts()
  const { run, isPending, error } = useAction(async () => onAnswer(await (await loadPasskeys()).answerByPasskey()))
  if (!hasPasskeys()) return null
  const isOurs = error instanceof RestProblem && error.status !== 401 && error.code !== "forbidden"
  // The browser shows the authenticator's own reasons, such as a person who cancelled.
  const words = isOurs ? whyFailed(texts, error) : texts.host.passkeys.refused
  return (
    <>
      <ProblemNotice>{error === null ? null : words}</ProblemNotice>
      <div className="row">
        <Button isPending={isPending} onPress={() => void run()}>
          {label}
        </Button>
      </div>
    </>
  )
}
