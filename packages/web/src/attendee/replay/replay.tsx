/** The replay of an event: its summary, its recording and its clips. */
import { rest, restWith } from "../../api/rest.ts"
import { useLoaded } from "../../api/use-loaded.ts"
import { useFormats, useTexts } from "../../texts/language.tsx"
import { whyFailed } from "../../texts/words.ts"
import { Button } from "../../ui/button.tsx"
import { ProblemNotice } from "../../ui/notice.tsx"
import { ClipList } from "./clips.tsx"
import { RecordingPlayer } from "./recording.tsx"

interface Props {
  readonly eventId: string
  readonly sessionToken: string | undefined
}

const read = async ({ eventId, sessionToken }: Props, signal: AbortSignal) => {
  const api = sessionToken === undefined ? rest : restWith(sessionToken)
  const request = { params: { id: eventId } }
  const [recap, content] = await Promise.all([api.getRecap(request, { signal }), api.getContent(request, { signal })])
  const captions = content.derivations.find(({ kind, status }) => kind === "transcript" && status === "ready")
  return { ...recap, captionsUrl: captions?.url ?? null }
}

type Recap = Awaited<ReturnType<typeof read>>

const Summary = ({ summary }: { readonly summary: NonNullable<Recap["summary"]> }) => {
  const { attendee, labelled } = useTexts()
  const { number } = useFormats()
  return (
    <section aria-label={attendee.summary}>
      <h2>{attendee.summary}</h2>
      {summary.text === "" ? null : <p className="summary">{summary.text}</p>}
      <ul aria-label={attendee.whoSpoke}>
        {summary.speakers.map(({ name, words }) => (
          <li key={name}>{labelled(name, attendee.words(number(words)))}</li>
        ))}
      </ul>
    </section>
  )
}

const Film = ({ recap, from }: { readonly recap: Recap; readonly from: Props }) => {
  const { attendee } = useTexts()
  const { recording, captionsUrl, replay } = recap
  const url = recording?.playbackUrl ?? null
  if (recording === null || url === null) return <p className="quiet">{attendee.noRecording}</p>
  return (
    <section className="stack" aria-label={attendee.recording}>
      <h2>{attendee.recording}</h2>
      <RecordingPlayer
        title={recording.title ?? attendee.recording}
        url={url}
        captionsUrl={captionsUrl}
        replay={replay === null ? null : { ...from, ...replay }}
      />
    </section>
  )
}

export const Replay = (props: Props) => {
  const texts = useTexts()
  const { value, error, isLoading, reload } = useLoaded(`${props.eventId} ${props.sessionToken ?? ""}`, (signal) =>
    read(props, signal),
  )
  if (value === undefined) {
    return (
      <>
        {isLoading ? <p role="status">{texts.loading}</p> : null}
        <ProblemNotice>{isLoading ? null : whyFailed(texts, error)}</ProblemNotice>
        {isLoading ? null : <Button onPress={reload}>{texts.retry}</Button>}
      </>
    )
  }
  const { clips, summary } = value
  return (
    <div className="stack">
      <Film recap={value} from={props} />
      {clips.length === 0 ? null : <ClipList clips={clips} />}
      {summary === null ? null : <Summary summary={summary} />}
    </div>
  )
}
