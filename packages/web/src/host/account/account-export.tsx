/** Everything that is stored about the account, as one file. */
import { rest } from "../../api/rest.ts"
import { useAction } from "../../api/use-action.ts"
import { useConsoleTexts } from "../../texts/language.tsx"
import { Button } from "../../ui/button.tsx"
import { FailureNotice } from "../parts/failure.tsx"
import { saveFile } from "../parts/save-file.ts"

type Item = Awaited<ReturnType<typeof rest.exportAccount>>["items"][number]

const readAll = async (): Promise<ReadonlyArray<Item>> => {
  const items: Item[] = []
  let cursor: string | null = null
  do {
    const page: Awaited<ReturnType<typeof rest.exportAccount>> = await rest.exportAccount({
      query: { limit: 100, ...(cursor === null ? {} : { cursor }) },
    })
    items.push(...page.items)
    cursor = page.nextCursor
  } while (cursor !== null)
  return items
}

export const AccountExport = () => {
  const { host } = useConsoleTexts()
  const { run, isPending, error } = useAction(async () =>
    saveFile("gathercue-account.json", "application/json", JSON.stringify({ items: await readAll() }, null, 2)),
  )
  return (
    <section className="stack" aria-label={host.account.data}>
      <h2>{host.account.data}</h2>
      <p>{host.account.dataHint}</p>
      <FailureNotice error={error} />
      <div className="row">
        <Button isPending={isPending} onPress={() => void run()}>
          {host.account.download}
        </Button>
      </div>
    </section>
  )
}
