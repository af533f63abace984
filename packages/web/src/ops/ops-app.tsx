/** The operator's page: it asks for the platform key, which stays in the page's memory. */
import { RestProblem } from "@gathercue/client"
import { useEffect, useState } from "react"
import { Form } from "react-aria-components"
import { readPlatform } from "../api/platform.ts"
import { useLoaded, useReloadEvery } from "../api/use-loaded.ts"
import { useConsoleTexts } from "../texts/language.tsx"
import { whyFailed } from "../texts/words.ts"
import { Button } from "../ui/button.tsx"
import { TextField } from "../ui/fields.tsx"
import { ProblemNotice } from "../ui/notice.tsx"
import { QuietPanel } from "./quiet-panel.tsx"
import { SettingsAndLog } from "./settings-and-log.tsx"
import { StatusView } from "./status-view.tsx"
import { Trials } from "./trials.tsx"

const EVERY_MS = 5000

const Watch = ({
  platformKey,
  onRefused,
}: {
  readonly platformKey: string
  readonly onRefused: (failure: unknown) => void
}) => {
  const texts = useConsoleTexts()
  const { value, error, reload } = useLoaded("status", (signal) => readPlatform(platformKey, signal))
  const isRefused = error instanceof RestProblem && error.status === 401
  useEffect(() => {
    if (isRefused) onRefused(error)
  }, [isRefused, error, onRefused])
  useReloadEvery(EVERY_MS, reload)
  return (
    <>
      <ProblemNotice>{whyFailed(texts, error)}</ProblemNotice>
      <ProblemNotice>{value?.certificate?.problem ?? null}</ProblemNotice>
      {value?.quiet && <QuietPanel quiet={value.quiet} platformKey={platformKey} onPromoted={reload} />}
      {value === undefined ? (
        <p role="status">{texts.loading}</p>
      ) : (
        <>
          <StatusView status={value} platformKey={platformKey} />
          <Trials platformKey={platformKey} />
          <SettingsAndLog platformKey={platformKey} />
        </>
      )}
    </>
  )
}

export const OpsApp = () => {
  const texts = useConsoleTexts()
  const { ops } = texts
  const [platformKey, use] = useState<string | null>(null)
  const [failure, fail] = useState<unknown>(null)
  const submit = (submitted: React.FormEvent<HTMLFormElement>) => {
    submitted.preventDefault()
    fail(null)
    use(String(new FormData(submitted.currentTarget).get("key")).trim())
  }
  const refuse = (reason: unknown) => {
    fail(reason)
    use(null)
  }
  return (
    <main className="page stack">
      <h1>{ops.title}</h1>
      {platformKey === null ? (
        <Form className="stack page-narrow" onSubmit={submit}>
          <TextField name="key" type="password" label={ops.key} hint={ops.keyHint} isRequired autoComplete="off" />
          <ProblemNotice>{failure === null ? null : ops.wrongKey}</ProblemNotice>
          <Button type="submit" look="main">
            {ops.show}
          </Button>
        </Form>
      ) : (
        <Watch platformKey={platformKey} onRefused={refuse} />
      )}
    </main>
  )
}
