/** Notice that the database is a copy and nothing is sent: the reasons, the waiting items, and the promotion. */

import type { PlatformStatus } from "@gathercue/client"
import { useState } from "react"
import { promotePlatform } from "../api/platform.ts"
import { useAction } from "../api/use-action.ts"
import { useConsoleTexts, useFormats } from "../texts/language.tsx"
import { whyFailed } from "../texts/words.ts"
import { Button } from "../ui/button.tsx"
import { CheckField } from "../ui/check-field.tsx"
import { Dialog } from "../ui/dialog.tsx"
import { ProblemNotice } from "../ui/notice.tsx"

interface Props {
  readonly quiet: NonNullable<PlatformStatus["quiet"]>
  readonly platformKey: string
  readonly onPromoted: () => void
}

export const QuietPanel = ({ quiet: { since, signs, copied }, platformKey, onPromoted }: Props) => {
  const texts = useConsoleTexts()
  const { ops } = texts
  const { number, moment } = useFormats()
  const [isOpen, open] = useState(false)
  const [discards, discard] = useState(false)
  const { run, isPending, error } = useAction(async () => {
    await promotePlatform(platformKey, discards)
    open(false)
    onPromoted()
  })
  return (
    <section className="panel stack" aria-label={ops.quiet}>
      <h2>{ops.quiet}</h2>
      <p>{ops.quietSince(moment(since))}</p>
      <ul>
        {signs.map((sign) => (
          <li key={sign}>{sign}</li>
        ))}
      </ul>
      <p>{ops.copied(number(copied.deliveries), number(copied.letters))}</p>
      <div className="row">
        <Button onPress={() => open(true)}>{ops.promote}</Button>
      </div>
      <Dialog title={ops.promote} isOpen={isOpen} onClose={() => open(false)}>
        <div className="stack">
          <p>{ops.promoteQuestion}</p>
          <CheckField isSelected={discards} onChange={discard}>
            {ops.discardCopied}
          </CheckField>
          <ProblemNotice>{error === null ? null : whyFailed(texts, error)}</ProblemNotice>
          <div className="row">
            <Button look="danger" isDisabled={isPending} onPress={() => void run()}>
              {ops.promote}
            </Button>
            <Button onPress={() => open(false)}>{texts.cancel}</Button>
          </div>
        </div>
      </Dialog>
    </section>
  )
}
