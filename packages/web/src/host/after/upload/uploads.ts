/** Uploads of this page, one per event. They continue while the host views other parts of the console. */
import { useSyncExternalStore } from "react"
import { RecordingUpload, type UploadInput, type UploadView } from "./recording-upload.ts"

const uploads = new Map<string, RecordingUpload>()
const listeners = new Set<() => void>()

/** Makes the browser ask before it leaves a page that is uploading. */
const warn = (leaving: BeforeUnloadEvent): void => leaving.preventDefault()

const changed = (): void => {
  const isSending = [...uploads.values()].some(({ view }) => view.state === "sending")
  if (isSending) addEventListener("beforeunload", warn)
  else removeEventListener("beforeunload", warn)
  for (const listener of listeners) listener()
}

const listen = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

export const useUpload = (eventId: string): UploadView | undefined =>
  useSyncExternalStore(listen, () => uploads.get(eventId)?.view)

export const beginUpload = (input: UploadInput): void => {
  const upload = new RecordingUpload(input, changed)
  uploads.set(input.eventId, upload)
  void upload.start()
}

export const continueUpload = (eventId: string): void => void uploads.get(eventId)?.start()

export const forgetUpload = (eventId: string): void => {
  uploads.delete(eventId)
  changed()
}

/** Rejects when sent bytes cannot be removed; the upload is over in any case. */
export const cancelUpload = async (eventId: string): Promise<void> => {
  const upload = uploads.get(eventId)
  forgetUpload(eventId)
  await upload?.cancel()
}
