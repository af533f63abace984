/** The transcript with a search; each segment seeks to its position in the recording. */
import { useState } from "react"
import { SearchField as AriaSearchField, Input, Label } from "react-aria-components"
import { useTexts } from "../../texts/language.tsx"
import { searchForm } from "../../texts/search-form.ts"
import { clockOf } from "../../texts/words.ts"
import { Button } from "../../ui/button.tsx"

export interface Line {
  readonly seconds: number
  readonly text: string
}

interface Props {
  readonly lines: ReadonlyArray<Line>
  readonly onSeek: (seconds: number) => void
}

/** Maximum number of results shown; people refine their search instead of reading more. */
const MOST = 50

export const TranscriptSearch = ({ lines, onSeek }: Props) => {
  const { attendee } = useTexts()
  const [words, search] = useState("")
  const wanted = searchForm(words)
  const found = wanted === "" ? [] : lines.filter(({ text }) => searchForm(text).includes(wanted))
  return (
    <section className="stack" aria-label={attendee.searchTranscript}>
      <AriaSearchField className="field" value={words} onChange={search}>
        <Label>{attendee.searchTranscript}</Label>
        <Input />
      </AriaSearchField>
      <p role="status" className="quiet">
        {wanted === "" ? null : attendee.found(found.length)}
      </p>
      <ol className="stack" aria-label={attendee.foundPlaces}>
        {found.slice(0, MOST).map(({ seconds, text }) => (
          <li key={`${seconds} ${text}`} className="row">
            <Button onPress={() => onSeek(seconds)}>{clockOf(Math.floor(seconds))}</Button>
            <span>{text}</span>
          </li>
        ))}
      </ol>
    </section>
  )
}
