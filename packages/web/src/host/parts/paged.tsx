/** A paged list, with texts for loading, an empty list and a failure. */

import type { Pages } from "../../api/use-pages.ts"
import { useConsoleTexts } from "../../texts/language.tsx"
import { Button } from "../../ui/button.tsx"
import { FailureNotice } from "./failure.tsx"

export const Paged = <A,>({
  pages,
  empty,
  children,
}: {
  readonly pages: Pages<A>
  readonly empty: string
  readonly children: (items: ReadonlyArray<A>) => React.ReactNode
}) => {
  const texts = useConsoleTexts()
  const { items, isLoading, error, hasMore, more, reload } = pages
  return (
    <>
      {items === undefined || items.length === 0 ? null : children(items)}
      {items?.length === 0 && !isLoading ? <p className="quiet">{empty}</p> : null}
      {items === undefined && isLoading ? <p role="status">{texts.loading}</p> : null}
      <FailureNotice error={error} />
      <div className="row">
        {error === null || error === undefined ? null : <Button onPress={reload}>{texts.retry}</Button>}
        {hasMore ? (
          <Button isPending={isLoading} onPress={more}>
            {texts.host.more}
          </Button>
        ) : null}
      </div>
    </>
  )
}
