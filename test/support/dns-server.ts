/** A DNS server in this process, which answers for TXT records alone (RFC 1035). */
import { createSocket } from "node:dgram"
import { once } from "node:events"

const nameIn = (query: Buffer): { readonly name: string; readonly end: number } => {
  const labels: string[] = []
  let at = 12
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join(".").toLowerCase(), end: at + 5 }
}

const answerTo = (query: Buffer, texts: ReadonlyArray<string>, end: number): Buffer => {
  const header = Buffer.from(query.subarray(0, 12))
  // An answer, of a server that looks names up; NXDOMAIN where there is none.
  header.writeUInt16BE(texts.length === 0 ? 0x8183 : 0x8180, 2)
  header.writeUInt16BE(texts.length, 6)
  header.writeUInt32BE(0, 8)
  const records = texts.map((text) => {
    const data = Buffer.concat([Buffer.of(text.length), Buffer.from(text)])
    // The name of the question, TXT, IN, no time to live.
    const head = Buffer.from([0xc0, 12, 0, 16, 0, 1, 0, 0, 0, 0, 0, data.length])
    return Buffer.concat([head, data])
  })
  return Buffer.concat([header, query.subarray(12, end), ...records])
}

export interface DnsServer {
  /** Such as `127.0.0.1:53535`. */
  readonly address: string
  readonly records: Map<string, ReadonlyArray<string>>
  /** From now on the name is answered with a failure of the server. */
  readonly fail: (name: string) => void
  readonly close: () => Promise<void>
}

export const startDnsServer = async (): Promise<DnsServer> => {
  const socket = createSocket("udp4")
  const records = new Map<string, ReadonlyArray<string>>()
  const failing = new Set<string>()
  socket.on("message", (query, { port, address }) => {
    const { name, end } = nameIn(query)
    const answer = answerTo(query, records.get(name) ?? [], end)
    // SERVFAIL.
    if (failing.has(name)) answer.writeUInt16BE(0x8182, 2)
    socket.send(answer, port, address)
  })
  socket.bind(0, "127.0.0.1")
  await once(socket, "listening")
  return {
    address: `127.0.0.1:${socket.address().port}`,
    records,
    fail: (name) => failing.add(name),
    close: async () => {
      socket.close()
      await once(socket, "close")
    },
  }
}
