/** Encoders as they push to a server: one endless request, or a request for each file or piece. */
import { type IncomingMessage, request } from "node:http"

interface StreamAnswer {
  readonly status: number
  readonly body: string
}

interface PushedStream {
  readonly write: (bytes: Uint8Array) => Promise<void>
  /** Ends the body and resolves to the answer. */
  readonly end: () => Promise<StreamAnswer>
  /** Resolves when the server answers, before or after the end of the body; rejects when it only closes the connection. */
  readonly answer: Promise<StreamAnswer>
  /** Cuts the connection, as an encoder that is killed does. */
  readonly kill: () => void
}

const read = async (response: IncomingMessage): Promise<StreamAnswer> => {
  let body = ""
  for await (const chunk of response) body += String(chunk)
  return { status: response.statusCode ?? 0, body }
}

export const pushStream = (url: string, method = "PUT"): PushedStream => {
  const outgoing = request(url, { method, headers: { "transfer-encoding": "chunked" } })
  const answer = new Promise<StreamAnswer>((resolve, reject) => {
    outgoing.once("response", (response) => read(response).then(resolve, reject))
    outgoing.on("error", reject)
  })
  answer.catch(() => {})
  return {
    answer,
    write: (bytes) =>
      new Promise((resolve, reject) => {
        outgoing.write(bytes, (error) => (error == null ? resolve() : reject(error)))
      }),
    end: () => {
      outgoing.end()
      return answer
    },
    kill: () => outgoing.destroy(),
  }
}

/** Sends a whole stream and resolves to the answer. */
export const push = async (url: string, ...bytes: ReadonlyArray<Uint8Array>): Promise<StreamAnswer> => {
  const stream = pushStream(url)
  for (const chunk of bytes) await stream.write(chunk)
  return stream.end()
}
