/** A bucket on OpenStack Swift, an S3 server of others. It needs Debian's python3-swift. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { S3mini } from "s3mini"

const PROGRAM = fileURLToPath(new URL("s3_server.py", import.meta.url))
/** The system's own: Debian's packages are not in another one's path. */
const PYTHON = "/usr/bin/python3"

interface SwiftBucket {
  readonly environment: { readonly [key: string]: string }
  /** Names of objects and of uploads whose key has the text. */
  readonly stored: (text: string) => Promise<ReadonlyArray<string>>
  readonly close: () => Promise<void>
}

const field = (from: unknown, name: string): unknown =>
  typeof from === "object" && from !== null && name in from ? (from as Record<string, unknown>)[name] : undefined

/** As `fetchWithoutLength` of the product. */
const withoutLength: typeof fetch = (input, init) => {
  const headers = new Headers(init?.headers)
  headers.delete("content-length")
  return fetch(input, { ...init, headers })
}

export const startSwift = async (): Promise<SwiftBucket> => {
  const child = spawn(PYTHON, [PROGRAM], { stdio: ["pipe", "pipe", "pipe"] })
  const errors: string[] = []
  child.stderr.on("data", (chunk: Buffer) => errors.push(chunk.toString()))
  const ended = once(child, "exit")
  const line = await Promise.race([
    once(createInterface({ input: child.stdout }), "line").then(([text]) => String(text)),
    ended.then(() => Promise.reject(new Error(`Swift did not start: ${errors.join("")}`))),
  ])
  const environment: { readonly [key: string]: string } = JSON.parse(line)
  const client = new S3mini({
    endpoint: environment["S3_URL"] ?? "",
    region: environment["S3_REGION"] ?? "",
    accessKeyId: environment["S3_ACCESS_KEY_ID"] ?? "",
    secretAccessKey: environment["S3_SECRET_ACCESS_KEY"] ?? "",
    fetch: withoutLength,
  })
  await client.createBucket()
  return {
    environment,
    stored: async (text) => {
      const objects = (await client.listObjects("/", "")) ?? []
      const listed = field(await client.listMultipartUploads("/", "", "GET"), "ListMultipartUploadsResult")
      const uploads = field(listed, "Upload") ?? []
      const keys = (Array.isArray(uploads) ? uploads : [uploads]).map(
        (upload) => `${String(field(upload, "Key"))}#upload`,
      )
      return [...objects.map(({ Key }) => Key), ...keys].filter((name) => name.includes(text))
    },
    close: async () => {
      child.stdin.end()
      await ended
    },
  }
}
