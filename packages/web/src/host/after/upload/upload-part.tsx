/** Uploads a local file as a recording of the event. */
import { useCallback, useEffect, useState } from "react"
import { FileTrigger, Form } from "react-aria-components"
import { useAction } from "../../../api/use-action.ts"
import { useConsoleTexts, useFormats } from "../../../texts/language.tsx"
import { Button } from "../../../ui/button.tsx"
import { TextField } from "../../../ui/fields.tsx"
import { FailureNotice } from "../../parts/failure.tsx"
import type { UploadView } from "./recording-upload.ts"
import { beginUpload, cancelUpload, continueUpload, forgetUpload, useUpload } from "./uploads.ts"

interface Props {
  readonly eventId: string
  /** Called when all bytes are sent, or the upload was given up. */
  readonly onEnd: () => void
}

const KINDS = ["video/*", "audio/*", ".mkv", ".ts", ".flac"]
const BYTES_OF_MB = 1_000_000

const useMegabytes = (): ((bytes: number) => string) => {
  const { number } = useFormats()
  return (bytes) => `${number(Math.max(0.1, Math.round(bytes / (BYTES_OF_MB / 10)) / 10))} MB`
}

const NewUpload = ({
  eventId,
  title,
  write,
}: Pick<Props, "eventId"> & { readonly title: string; readonly write: (title: string) => void }) => {
  const { host } = useConsoleTexts()
  const megabytes = useMegabytes()
  const [file, choose] = useState<File | undefined>(undefined)
  const submit = (submitted: React.FormEvent) => {
    submitted.preventDefault()
    if (file !== undefined) beginUpload({ eventId, file, title: title.trim() })
  }
  return (
    <Form className="stack" onSubmit={submit}>
      <p className="quiet">{host.upload.hint}</p>
      <div className="row">
        <FileTrigger acceptedFileTypes={KINDS} onSelect={(files) => choose(files?.[0] ?? undefined)}>
          <Button>{host.upload.choose}</Button>
        </FileTrigger>
        <span role="status">{file === undefined ? "" : `${file.name} (${megabytes(file.size)})`}</span>
      </div>
      <TextField label={host.title} value={title} onChange={write} maxLength={200} autoComplete="off" />
      <div className="row">
        <Button type="submit" look="main" isDisabled={file === undefined || file.size === 0}>
          {host.upload.send}
        </Button>
      </div>
    </Form>
  )
}

const RunningUpload = ({
  eventId,
  onEnd,
  onDone,
  view,
}: Props & { readonly view: UploadView; readonly onDone: (fileName: string) => void }) => {
  const { host, cancel } = useConsoleTexts()
  const megabytes = useMegabytes()
  const { fileName, sentBytes, totalBytes, state, error } = view
  const giveUp = useAction(() => cancelUpload(eventId).finally(onEnd))
  useEffect(() => {
    if (state !== "done") return
    onDone(fileName)
    forgetUpload(eventId)
    onEnd()
  }, [state, eventId, fileName, onDone, onEnd])
  return (
    <div className="stack">
      <p>
        {fileName} <span className="quiet">{host.upload.sent(megabytes(sentBytes), megabytes(totalBytes))}</span>
      </p>
      <progress aria-label={host.upload.progress(fileName)} value={sentBytes} max={totalBytes} />
      <FailureNotice
        error={error}
        words={{ payload_too_large: host.upload.tooLarge, conflict: host.upload.noRoom, not_found: host.upload.gone }}
      />
      <div className="row">
        {state === "stopped" ? (
          <Button look="main" onPress={() => continueUpload(eventId)}>
            {host.upload.goOn}
          </Button>
        ) : null}
        <Button isPending={giveUp.isPending} onPress={() => void giveUp.run()}>
          {cancel}
        </Button>
      </div>
    </div>
  )
}

export const UploadPart = ({ eventId, onEnd }: Props) => {
  const { host } = useConsoleTexts()
  const view = useUpload(eventId)
  // The title of a refused file is kept for the next one.
  const [title, write] = useState("")
  const [uploaded, note] = useState<string | undefined>(undefined)
  const finish = useCallback((fileName: string) => {
    write("")
    note(fileName)
  }, [])
  return (
    <section className="panel stack" aria-label={host.upload.title}>
      <h2>{host.upload.title}</h2>
      {view === undefined ? (
        <NewUpload eventId={eventId} title={title} write={write} />
      ) : (
        <RunningUpload eventId={eventId} onEnd={onEnd} onDone={finish} view={view} />
      )}
      <span role="status">{view !== undefined || uploaded === undefined ? "" : host.upload.done(uploaded)}</span>
    </section>
  )
}
