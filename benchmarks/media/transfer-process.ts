/** Uploads and downloads: connections that put the same bytes again and again, or get files and ranges of them without keeping them. */
import { randomBytes } from "node:crypto"
import { type ClientRequest, request } from "node:http"
import { answerParent } from "../support/child.ts"

export interface Put {
  readonly urls: ReadonlyArray<string>
  readonly bytes: number
  /** Sent before everything else, so that the file is one. */
  readonly head: Uint8Array
}

export interface Get {
  readonly url: string
  /** Byte ranges, over so many connections. Absent: the whole, once. */
  readonly ranges?: ReadonlyArray<string>
  readonly connections: number
}

export interface Transferred {
  readonly seconds: number
  readonly bytes: number
}

const MEBIBYTE = 1024 ** 2
const BLOCK = randomBytes(MEBIBYTE)

const answered = (outgoing: ClientRequest): Promise<number> =>
  new Promise((resolve, reject) => {
    outgoing.once("error", reject)
    outgoing.once("response", (response) => {
      let bytes = 0
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.byteLength
      })
      response.once("error", reject)
      response.once("end", () => {
        if ((response.statusCode ?? 500) < 300) resolve(bytes)
        else reject(new Error(`answered ${response.statusCode}`))
      })
    })
  })

const putOne = async (url: string, size: number, head: Uint8Array): Promise<void> => {
  const outgoing = request(url, { method: "PUT", headers: { "content-length": size }, agent: false })
  const answer = answered(outgoing)
  outgoing.write(head)
  for (let left = size - head.byteLength; left > 0; left -= MEBIBYTE) {
    const isTaken = outgoing.write(left < MEBIBYTE ? BLOCK.subarray(0, left) : BLOCK)
    if (!isTaken) await new Promise((resolve) => outgoing.once("drain", resolve))
  }
  outgoing.end()
  await answer
}

const timed = async (work: () => Promise<number>): Promise<Transferred> => {
  const startedAt = performance.now()
  const bytes = await work()
  return { bytes, seconds: (performance.now() - startedAt) / 1000 }
}

const put = ({ urls, bytes, head }: Put): Promise<Transferred> =>
  timed(async () => {
    await Promise.all(urls.map((url) => putOne(url, bytes, head)))
    return urls.length * bytes
  })

const get = ({ url, ranges, connections }: Get): Promise<Transferred> =>
  timed(async () => {
    const open = (headers: { readonly [name: string]: string }): Promise<number> => {
      const outgoing = request(url, { headers, agent: false })
      outgoing.end()
      return answered(outgoing)
    }
    if (ranges === undefined) return open({})
    const waiting = [...ranges]
    let bytes = 0
    const work = async (): Promise<void> => {
      for (let range = waiting.pop(); range !== undefined; range = waiting.pop()) {
        const received = await open({ range })
        bytes += received
      }
    }
    await Promise.all(Array.from({ length: connections }, work))
    return bytes
  })

answerParent({ put, get })
