/**
 * One client's connection and the server's connection behind it. Messages are forwarded unchanged and in order, except where
 * a rule or a fault says otherwise. There is no flow control: a client that stops reading is answered what it asked for.
 */
import { connect, type Socket } from "node:net"
import { type SecureContextOptions, TLSSocket } from "node:tls"
import { ReplyQueue } from "./reply-queue.ts"
import type { Action, ConnectionReport, Statement } from "./rules.ts"
import { type Cycle, Session } from "./session.ts"
import { failingStatement, type Message, MessageReader, readStartup, STARTUP, startupParameter } from "./wire.ts"

interface LinkOptions {
  readonly id: number
  readonly target: () => { readonly host: string; readonly port: number }
  readonly tls: SecureContextOptions | undefined
  readonly latencyMs: () => number
  readonly actionFor: (statement: Statement) => Action | undefined
  readonly forwarded: (statement: Statement) => void
  readonly answered: (statement: Statement) => void
  readonly closed: (link: Link) => void
}

export class Link {
  readonly #options: LinkOptions
  /** The TCP connection; `#client` is the TLS in it when there is one. */
  readonly #raw: Socket
  #client: Socket
  #server: Socket | undefined
  readonly #session = new Session()
  readonly #fromClient = new MessageReader()
  readonly #fromServer = new MessageReader()
  readonly #replies = new ReplyQueue()
  #startup: Buffer = Buffer.alloc(0)
  #isStarted = false
  #application = ""
  /** Messages that prepare a statement wait for it, so that a rule finds nothing of it on the server. */
  #heldBack: Array<Buffer> = []
  /** Messages behind a statement that is held. */
  #behind: Array<Message> | undefined
  #swallows = false
  #skipsToSync = false
  #isSilent = false
  #isClosed = false

  /** The socket is paused. */
  constructor(raw: Socket, options: LinkOptions) {
    this.#raw = raw
    this.#options = options
    this.#client = raw
    raw.setNoDelay(true)
    this.#listen(raw)
    raw.resume()
  }

  get report(): ConnectionReport {
    const { transaction, statementCount, statements, unanswered } = this.#session
    return {
      id: this.#options.id,
      application: this.#application,
      transaction,
      statementCount,
      statements: [...statements],
      unanswered,
      silent: this.#isSilent || this.#swallows,
    }
  }

  /** Nothing passes, either way. Bytes that come meanwhile wait in the kernel. */
  silence(): void {
    this.#isSilent = true
    this.#client.pause()
    this.#server?.pause()
    this.#replies.hold()
  }

  heal(): void {
    if (!this.#isSilent) return
    this.#isSilent = false
    this.#client.resume()
    this.#server?.resume()
    this.#replies.release()
  }

  reset(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#replies.close()
    this.#raw.resetAndDestroy()
    this.#client.destroy()
    this.#server?.resetAndDestroy()
    this.#options.closed(this)
  }

  halfClose(towards: "client" | "server"): void {
    if (towards === "client") this.#client.end()
    else this.#server?.end()
  }

  #listen(client: Socket): void {
    client.on("data", (chunk: Buffer) => this.#read(chunk))
    client.once("end", () => (this.#server ?? client).end())
    client.on("error", () => this.reset())
    client.once("close", () => {
      if (client === this.#client) this.reset()
    })
  }

  #read(chunk: Buffer): void {
    if (this.#isStarted) this.#readMessages(chunk)
    else {
      this.#startup = Buffer.concat([this.#startup, chunk])
      this.#readStartup()
    }
  }

  #readStartup(): void {
    const first = readStartup(this.#startup)
    if (first === undefined) return
    this.#startup = first.rest
    if (first.code === STARTUP.tls && this.#options.tls !== undefined) this.#secure(this.#options.tls)
    else if (first.code === STARTUP.tls || first.code === STARTUP.gss) {
      this.#client.write("N")
      this.#readStartup()
    } else this.#start(first.bytes, first.rest)
  }

  #secure(options: SecureContextOptions): void {
    this.#raw.removeAllListeners("data")
    this.#raw.removeAllListeners("end")
    this.#raw.write("S")
    this.#client = new TLSSocket(this.#raw, { ...options, isServer: true })
    this.#listen(this.#client)
    if (this.#isSilent) this.#client.pause()
  }

  #start(startup: Buffer, rest: Buffer): void {
    this.#isStarted = true
    this.#application = startupParameter(startup, "application_name") ?? ""
    const server = connect({ ...this.#options.target(), noDelay: true, allowHalfOpen: true })
    this.#server = server
    server.on("data", (chunk: Buffer) => {
      for (const message of this.#fromServer.push(chunk)) this.#answer(message)
    })
    server.once("end", () => this.#replies.push(0, () => this.#client.end()))
    server.on("error", () => this.reset())
    server.write(startup)
    if (rest.length > 0) this.#readMessages(rest)
  }

  #readMessages(chunk: Buffer): void {
    for (const message of this.#fromClient.push(chunk)) {
      if (this.#isClosed || this.#swallows) return
      if (this.#behind !== undefined) this.#behind.push(message)
      else if (this.#skipsToSync) this.#skipsToSync = message.type !== "S"
      else this.#ask(message)
    }
  }

  #ask(message: Message): void {
    const sql = this.#session.sqlOf(message)
    if (sql !== undefined) {
      this.#run(message, sql)
      return
    }
    this.#heldBack.push(message.bytes)
    if ("PBDC".includes(message.type)) this.#session.openCycle()
    else this.#forward()
    if (message.type === "S") this.#session.openCycle().closed = true
  }

  #forward(): void {
    if (this.#server?.writable) this.#server.write(Buffer.concat(this.#heldBack))
    this.#heldBack = []
  }

  /** A statement is about to be run. */
  #run(message: Message, sql: string): void {
    const statement: Statement = { sql, connection: this.report }
    const action = this.#options.actionFor(statement)
    if (action?.kind === "cutBefore") this.reset()
    else if (action?.kind === "drop") this.#swallows = true
    else if (action?.kind === "fail") this.#fail(message, statement, failingStatement(action.code, action.message))
    else if (action?.kind === "hold") this.#hold(message, statement, action.until)
    else this.#pass(message, statement, action)
  }

  #hold(message: Message, statement: Statement, until: Promise<unknown>): void {
    this.#behind = []
    void until.then(() => {
      const behind = this.#behind ?? []
      this.#behind = undefined
      this.#pass(message, statement, undefined)
      for (const one of behind) this.#ask(one)
    })
  }

  #fail(message: Message, statement: Statement, failing: Buffer): void {
    const cycle = this.#session.openCycle()
    cycle.statements.push(statement)
    cycle.closed = true
    this.#skipsToSync = message.type === "E"
    this.#heldBack = [failing]
    this.#forward()
  }

  #pass(message: Message, statement: Statement, action: Action | undefined): void {
    const cycle = this.#session.openCycle()
    cycle.statements.push(statement)
    if (message.type === "Q") cycle.closed = true
    if (action?.kind === "cutReply") cycle.cutReplyAfter = 0
    if (action?.kind === "cutWithinReply") cycle.cutReplyAfter = 0.5
    if (action?.kind === "delay") cycle.delayMs = action.ms
    this.#heldBack.push(message.bytes)
    this.#forward()
    this.#options.forwarded(statement)
  }

  #answer(message: Message): void {
    const cycle = this.#session.answering
    const ended = this.#session.endedBy(message)
    if (cycle?.cutReplyAfter === undefined) this.#send(message.bytes, cycle?.delayMs ?? 0)
    else {
      cycle.keptBack.push(message.bytes)
      if (ended !== undefined) this.#cutReply(cycle, cycle.cutReplyAfter)
    }
    for (const statement of ended?.statements ?? []) this.#options.answered(statement)
  }

  #send(bytes: Buffer, delayMs: number): void {
    this.#replies.push(Math.max(delayMs, this.#options.latencyMs()), () => {
      if (this.#client.writable) this.#client.write(bytes)
    })
  }

  #cutReply(cycle: Cycle, share: number): void {
    const reply = Buffer.concat(cycle.keptBack)
    const part = reply.subarray(0, Math.ceil(reply.length * share))
    this.#replies.push(this.#options.latencyMs(), () => {
      if (part.length === 0) this.reset()
      else {
        // A reset throws away what the client has not read, so the part goes out with an ordinary end.
        this.#client.end(part)
        this.#server?.destroy()
      }
    })
  }
}
