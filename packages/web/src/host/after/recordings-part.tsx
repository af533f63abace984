/** Recordings of the event, and their clips. */
import type { Recording } from "@gathercue/client"
import { useEffect } from "react"
import { rest } from "../../api/rest.ts"
import { useAction } from "../../api/use-action.ts"
import { usePages } from "../../api/use-pages.ts"
import type { ConsoleTexts } from "../../texts/console/en.ts"
import { useConsoleTexts, useFormats } from "../../texts/language.tsx"
import { clockOf } from "../../texts/words.ts"
import { Button, LinkButton } from "../../ui/button.tsx"
import type { EventProps } from "../event/event-page.tsx"
import { ConfirmButton } from "../parts/confirm-button.tsx"
import { Paged } from "../parts/paged.tsx"
import { NewClip } from "./new-clip.tsx"
import { UploadPart } from "./upload/upload-part.tsx"

const stateOf = (host: ConsoleTexts["host"], status: Recording["status"], failure: Recording["failure"]): string =>
  failure === null
    ? host.mediaStatus[status]
    : `${host.mediaStatus[status]}: ${host.mediaFailures[failure.code] ?? failure.detail}`

/** Poll interval until the server has inspected a file. */
const LOOK_AGAIN_MS = 2000

const Clips = ({ eventId, pages }: { readonly eventId: string; readonly pages: ReturnType<typeof useClips> }) => {
  const { host } = useConsoleTexts()
  const removal = useAction((id: string) => rest.deleteClip({ params: { id } }).then(() => true))
  return (
    <section className="stack" aria-label={host.clips} key={eventId}>
      <h2>{host.clips}</h2>
      <Paged pages={pages} empty={host.noClips}>
        {(clips) => (
          <ul className="rows" aria-label={host.clips}>
            {clips.map(({ id, title, status, durationMs, playbackUrl, failure }) => (
              <li key={id} className="row row-apart">
                <span>
                  {title ?? host.clip}{" "}
                  <span className="quiet">
                    {clockOf(Math.round(durationMs / 1000))}, {stateOf(host, status, failure)}
                  </span>
                </span>
                <span className="row">
                  {playbackUrl === null ? null : <LinkButton href={playbackUrl}>{host.watch}</LinkButton>}
                  <ConfirmButton
                    label={host.delete}
                    name={title ?? host.clip}
                    question={host.deleteMediaQuestion}
                    isPending={removal.isPending}
                    error={removal.error}
                    onConfirm={() => removal.run(id)}
                    onDone={pages.reload}
                  />
                </span>
              </li>
            ))}
          </ul>
        )}
      </Paged>
    </section>
  )
}

const useClips = (eventId: string) =>
  usePages(eventId, "clips", (at) =>
    rest.listClips({
      params: { id: eventId },
      query: at,
    }),
  )

export const RecordingsPart = ({ event }: EventProps) => {
  const { host } = useConsoleTexts()
  const { moment } = useFormats()
  const pages = usePages(event.id, "recordings", (at) =>
    rest.listRecordings({
      params: { id: event.id },
      query: at,
    }),
  )
  const clips = useClips(event.id)
  const removal = useAction((id: string) => rest.deleteRecording({ params: { id } }).then(() => true))
  const { reload } = pages
  const isProcessed = (pages.items ?? []).every(({ status }) => status !== "processing")
  // biome-ignore lint/correctness/useExhaustiveDependencies: `reload` is another function at each render.
  useEffect(() => {
    if (isProcessed) return
    const timer = setInterval(reload, LOOK_AGAIN_MS)
    return () => clearInterval(timer)
  }, [isProcessed])
  return (
    <>
      <div className="row row-apart">
        <h2>{host.recordings}</h2>
        <Button
          isPending={pages.isLoading}
          onPress={() => {
            pages.reload()
            clips.reload()
          }}
        >
          {host.refresh}
        </Button>
      </div>
      <Paged pages={pages} empty={host.noRecordings}>
        {(recordings) => (
          <ul className="rows" aria-label={host.recordings}>
            {recordings.map(({ id, title, createdAt, status, durationMs, playbackUrl, downloadUrl, failure }) => {
              const name = title ?? moment(createdAt)
              return (
                <li key={id} className="stack">
                  <div className="row row-apart">
                    <span>
                      {name}{" "}
                      <span className="quiet">
                        {durationMs === null ? "" : `${clockOf(Math.round(durationMs / 1000))}, `}
                        {stateOf(host, status, failure)}
                      </span>
                    </span>
                    <span className="row">
                      {playbackUrl === null ? null : <LinkButton href={playbackUrl}>{host.watch}</LinkButton>}
                      {downloadUrl === null ? null : (
                        <LinkButton href={downloadUrl} download>
                          {host.download}
                        </LinkButton>
                      )}
                      <ConfirmButton
                        label={host.delete}
                        name={name}
                        question={host.deleteMediaQuestion}
                        isPending={removal.isPending}
                        error={removal.error}
                        onConfirm={() => removal.run(id)}
                        onDone={() => {
                          pages.reload()
                          clips.reload()
                        }}
                      />
                    </span>
                  </div>
                  {status === "ready" && durationMs !== null ? (
                    <NewClip recordingId={id} durationMs={durationMs} onMade={clips.reload} />
                  ) : null}
                </li>
              )
            })}
          </ul>
        )}
      </Paged>
      <UploadPart eventId={event.id} onEnd={reload} />
      <Clips eventId={event.id} pages={clips} />
    </>
  )
}
