/** One `PUT` of bytes to a signed address, with `XMLHttpRequest` because `fetch` reports no upload progress. */
import { RestProblem } from "@gathercue/client"

interface Sending {
  readonly url: string
  readonly bytes: Blob
  readonly signal: AbortSignal
  readonly headers?: { readonly [name: string]: string }
  readonly onProgress: (sentBytes: number) => void
}

/** A bucket answers in XML. */
const bodyOf = (text: string): { readonly [field: string]: unknown } => {
  try {
    return JSON.parse(text) as { readonly [field: string]: unknown }
  } catch {
    return {}
  }
}

/** Rejects like the REST client: with `RestProblem` when the server refuses, and with a `TypeError` when it is unreachable. */
export const sendBytes = ({ url, bytes, signal, headers = {}, onProgress }: Sending): Promise<void> =>
  new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const request = new XMLHttpRequest()
    const abort = () => request.abort()
    request.open("PUT", url)
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
    request.upload.onprogress = ({ loaded }) => onProgress(loaded)
    request.onload = () => {
      const { status, responseText } = request
      if (status < 300) resolve()
      else reject(new RestProblem(new Response(null, { status }), bodyOf(responseText)))
    }
    request.onerror = () => reject(new TypeError("the upload was cut off"))
    request.onabort = () => reject(signal.reason)
    request.onloadend = () => signal.removeEventListener("abort", abort)
    signal.addEventListener("abort", abort)
    request.send(bytes)
  })
