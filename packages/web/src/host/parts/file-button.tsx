/** Saves a server response as a file. */
import { RestProblem } from "@gathercue/client"
import { sendProved } from "../../api/fresh-sign-in.ts"
import { useAction } from "../../api/use-action.ts"
import { Button } from "../../ui/button.tsx"
import { FailureNotice } from "./failure.tsx"
import { saveBlob } from "./save-file.ts"

const NAME = /filename="?([^";]+)/

/** `path` is on the server; `name` is the file's, where the server gives none. */
export const FileButton = ({
  path,
  name,
  children,
}: {
  readonly path: string
  readonly name: string
  readonly children: React.ReactNode
}) => {
  const { run, isPending, error } = useAction(async () => {
    const response = await sendProved(path)
    if (!response.ok) throw new RestProblem(response, await response.json().catch(() => ({})))
    saveBlob(NAME.exec(response.headers.get("content-disposition") ?? "")?.[1] ?? name, await response.blob())
  })
  return (
    <>
      <Button isPending={isPending} onPress={() => void run()}>
        {children}
      </Button>
      <FailureNotice error={error} />
    </>
  )
}
