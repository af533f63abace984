/** A DNS server in this process, which answers for TXT records and IPv4 addresses (RFC 1035). */
import { createSocket } from "node:dgram"
import { once } from "node:events"
import { type AddressInfo, createServer, type Socket } from "node:net"

const nameIn = (query: Buffer): { readonly name: string; readonly end: number } => {
  const labels: string[] = []
  let at = 12
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join(".").toLowerCase(), end: at + 5 }
}

const [ADDRESS, TEXT] = [1, 16]

const recordOf = (type: number, value: string): Buffer =>
  type === ADDRESS
    ? Buffer.from(value.split(".").map(Number))
    : Buffer.concat([Buffer.of(value.length), Buffer.from(value)])

/** A name that is known has no records of other types. */
const answerTo = (
  query: Buffer,
  known: ReadonlyArray<string> | undefined,
  end: number,
  addresses: ReadonlyArray<string>,
): Buffer => {
  const type = query.readUInt16BE(end - 4)
  const values = (type === ADDRESS ? addresses : type === TEXT && known) || []
  const isKnown = (known?.length ?? 0) + addresses.length > 0
  const header = Buffer.from(query.subarray(0, 12))
  // An answer, of a server that looks names up; NXDOMAIN where there is none.
  header.writeUInt16BE(isKnown ? 0x8180 : 0x8183, 2)
  header.writeUInt16BE(values.length, 6)
  header.writeUInt32BE(0, 8)
  const records = values.map((value) => {
    const data = recordOf(type, value)
    // The name of the question, its type, IN, no time to live.
    const head = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, data.length])
    return Buffer.concat([head, data])
  })
  return Buffer.concat([header, query.subarray(12, end), ...records])
}

export interface DnsServer {
  /** Such as `127.0.0.1:53535`. */
  readonly address: string
  readonly records: Map<string, ReadonlyArray<string>>
  /** IPv4 addresses by name. */
  readonly addresses: Map<string, ReadonlyArray<string>>
  /** From now on the name is answered with a failure of the server. */
  readonly fail: (name: string) => void
  readonly close: () => Promise<void>
}

/** Calls back with each query of a connection: a length of two bytes precedes it. */
const queriesOf = (socket: Socket, took: (query: Buffer) => void): void => {
  let read = Buffer.alloc(0)
  socket.on("data", (chunk: Buffer) => {
    read = Buffer.concat([read, chunk])
    while (read.length >= 2 && read.length >= 2 + read.readUInt16BE(0)) {
      const end = 2 + read.readUInt16BE(0)
      took(read.subarray(2, end))
      read = read.subarray(end)
    }
  })
  socket.on("error", () => socket.destroy())
}

/** By UDP and TCP. */
export const startDnsServer = async (): Promise<DnsServer> => {
  const records = new Map<string, ReadonlyArray<string>>()
  const addresses = new Map<string, ReadonlyArray<string>>()
  const failing = new Set<string>()
  const answerOf = (query: Buffer): Buffer => {
    const { name, end } = nameIn(query)
    const answer = answerTo(query, records.get(name), end, addresses.get(name) ?? [])
    // SERVFAIL.
    if (failing.has(name)) answer.writeUInt16BE(0x8182, 2)
    return answer
  }
  const listener = createServer((socket) =>
    queriesOf(socket, (query) => {
      const answer = answerOf(query)
      const length = Buffer.alloc(2)
      length.writeUInt16BE(answer.length)
      socket.write(Buffer.concat([length, answer]))
    }),
  )
  listener.listen(0, "127.0.0.1")
  await once(listener, "listening")
  const { port: ownPort } = listener.address() as AddressInfo
  const datagrams = createSocket("udp4")
  datagrams.on("message", (query, { port, address }) => datagrams.send(answerOf(query), port, address))
  datagrams.bind(ownPort, "127.0.0.1")
  await once(datagrams, "listening")
  return {
    address: `127.0.0.1:${ownPort}`,
    records,
    addresses,
    fail: (name) => failing.add(name),
    close: async () => {
      datagrams.close()
      listener.close()
      await once(datagrams, "close")
    },
  }
}
