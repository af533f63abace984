/** One answer over HTTP/1.1, byte by byte as it comes: nothing is decompressed, and what is counted is what was sent. */
import { once } from "node:events"
import { connect } from "node:net"
import { responseLength } from "../support/http-response.ts"

export interface Answer {
  readonly status: string
  readonly headers: ReadonlyArray<readonly [string, string]>
  readonly body: Uint8Array
  /** With its head. */
  readonly bytes: number
}

const HEAD_END = "\r\n\r\n"

const parse = (bytes: Buffer): Answer => {
  const headEnd = bytes.indexOf(HEAD_END)
  const [first = "", ...lines] = bytes.toString("latin1", 0, headEnd).split("\r\n")
  const headers = lines.map((line) => {
    const colon = line.indexOf(":")
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const
  })
  return {
    status: first.slice("HTTP/1.1 ".length),
    headers,
    body: bytes.subarray(headEnd + HEAD_END.length),
    bytes: bytes.length,
  }
}

export const headerOf = ({ headers }: Answer, wanted: string): string | undefined =>
  headers.find(([name]) => name === wanted)?.[1]

/** Load generators count an answer by its length, so it must have one. */
export const answerTo = async (port: number, request: string): Promise<Answer> => {
  const socket = connect({ host: "127.0.0.1", port, noDelay: true })
  await once(socket, "connect")
  socket.write(request)
  let bytes: Buffer = Buffer.alloc(0)
  try {
    while (responseLength(bytes.toString("latin1")) === 0) {
      const [chunk] = (await once(socket, "data")) as [Buffer]
      bytes = Buffer.concat([bytes, chunk])
    }
  } finally {
    socket.destroy()
  }
  const answer = parse(bytes)
  if (headerOf(answer, "content-length") === undefined)
    throw new Error("an answer without its length cannot be counted")
  return answer
}
