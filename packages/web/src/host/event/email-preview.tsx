/** Emails about the event as its people would get them, with what is saved. */
import type { PreviewedEmail } from "@gathercue/client"
import { useState } from "react"
import { rest } from "../../api/rest.ts"
import { useAction } from "../../api/use-action.ts"
import { useConsoleTexts } from "../../texts/language.tsx"
import { Button } from "../../ui/button.tsx"
import { Choice } from "../../ui/choice.tsx"
import { FailureNotice } from "../parts/failure.tsx"

export const EmailPreview = ({ eventId }: { readonly eventId: string }) => {
  const { host } = useConsoleTexts()
  const [kind, choose] = useState<PreviewedEmail>("confirmation")
  const [email, show] = useState<Awaited<ReturnType<typeof rest.previewEmail>> | undefined>(undefined)
  const { run, isPending, error } = useAction(() => rest.previewEmail({ params: { id: eventId, kind } }))
  return (
    <section className="stack" aria-label={host.emailPreview}>
      <div className="row">
        <Choice
          label={host.emailPreview}
          options={Object.entries(host.emails) as ReadonlyArray<[PreviewedEmail, string]>}
          value={kind}
          onChange={choose}
        />
        <Button isPending={isPending} onPress={() => void run().then(show)}>
          {host.showEmail}
        </Button>
      </div>
      <FailureNotice error={error} />
      {email === undefined ? null : (
        <figure>
          <figcaption>{email.subject}</figcaption>
          {/* Nothing in the frame runs or leaves it. */}
          <iframe className="email" title={email.subject} sandbox="" srcDoc={email.html} />
        </figure>
      )}
    </section>
  )
}
