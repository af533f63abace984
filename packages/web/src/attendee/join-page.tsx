/** Entry by join code. */
import { Form } from "react-aria-components"
import { rest } from "../api/rest.ts"
import { useAction } from "../api/use-action.ts"
import { useTexts } from "../texts/language.tsx"
import { whyFailed } from "../texts/words.ts"
import { Brand } from "../ui/brand.tsx"
import { Button } from "../ui/button.tsx"
import { TextField } from "../ui/fields.tsx"
import { ProblemNotice } from "../ui/notice.tsx"
import { SiteLinks } from "../ui/site-links.tsx"

export const JoinPage = () => {
  const texts = useTexts()
  const { attendee, site } = texts
  const { run, isPending, error } = useAction((code: string) => rest.findByJoinCode({ params: { code } }))
  const submit = async (submitted: React.FormEvent<HTMLFormElement>) => {
    submitted.preventDefault()
    const found = await run(String(new FormData(submitted.currentTarget).get("code")).trim())
    if (found !== undefined) location.assign(`/e/${found.eventId}`)
  }
  return (
    <>
      <main className="page entry">
        <Brand />
        <p className="quiet">{site.tagline}</p>
        <h1>{attendee.joinByCode}</h1>
        <Form className="stack" onSubmit={(submitted) => void submit(submitted)}>
          <TextField
            name="code"
            label={attendee.code}
            hint={attendee.codeHint}
            isRequired
            autoComplete="off"
            autoFocus
          />
          <ProblemNotice>{whyFailed(texts, error)}</ProblemNotice>
          <Button type="submit" look="main" isPending={isPending}>
            {attendee.join}
          </Button>
        </Form>
      </main>
      <SiteLinks to="/host" />
    </>
  )
}
