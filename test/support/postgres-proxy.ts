/**
 * A proxy between PostgreSQL clients and a real server that knows which statement each message runs, and can lose, delay
 * and break exactly what a test names. `seen` and `answered` are signals to wait for, so that no test has to guess a time.
 */
import { once } from "node:events"
import { type AddressInfo, createServer } from "node:net"
import type { SecureContextOptions } from "node:tls"
import { Link } from "./postgres-proxy/link.ts"
import {
  ActiveRule,
  type ConnectionReport,
  matches,
  type Rule,
  type RuleHandle,
  type Statement,
} from "./postgres-proxy/rules.ts"
import { Signals } from "./postgres-proxy/signals.ts"

interface PostgresProxyOptions {
  /** Decides for rules with a probability. A seeded one makes a run repeatable. */
  readonly random?: () => number
  /** Key and certificate: clients may ask for TLS, which ends here. Without it they are refused TLS. */
  readonly tls?: SecureContextOptions
}

export interface ProxyCounts {
  readonly connections: number
  readonly statements: number
  /** Statements that rules acted on, by kind of action. */
  readonly actions: Readonly<Record<string, number>>
  readonly resets: number
  readonly halfCloses: number
}

type Which = (connection: ConnectionReport) => boolean

export interface PostgresProxy {
  /** The target's address with the proxy's host and port. */
  readonly url: string
  /** Of the connections that are open. */
  readonly connections: () => ReadonlyArray<ConnectionReport>
  readonly counts: () => ProxyCounts
  /** Rules are asked in the order they were given; the first that acts decides. */
  readonly onStatement: (rule: Rule) => RuleHandle
  /** Resolves when a matching statement is next forwarded to the server. */
  readonly seen: (match: Rule["match"], deadlineMs?: number) => Promise<Statement>
  /** Resolves when the server has next answered a matching statement. */
  readonly answered: (match: Rule["match"], deadlineMs?: number) => Promise<Statement>
  /** Replies come so much later from now on. */
  readonly delayReplies: (ms: number) => void
  /** Nothing passes on the present connections, and no FIN or RST. With `all` new connections are silent too. */
  readonly silence: (scope: "open" | "all") => void
  /**
   * Ends silence and delay, and removes all rules. A connection that swallowed a statement stays as it is. With `which` only the
   * silence of those connections ends.
   */
  readonly heal: (which?: Which) => void
  /** Resets connections on both sides; returns how many. */
  readonly reset: (which?: Which) => number
  /** Sends a FIN one way and leaves the other way open; returns to how many connections. */
  readonly halfClose: (towards: "client" | "server", which?: Which) => number
  /** New connections go to another server from now on. */
  readonly retarget: (url: string) => void
  readonly close: () => Promise<void>
}

const addressOf = (url: string): { readonly host: string; readonly port: number } => {
  const { hostname, port } = new URL(url)
  return { host: hostname, port: Number(port === "" ? 5432 : port) }
}

export const startPostgresProxy = async (
  targetUrl: string,
  options: PostgresProxyOptions = {},
): Promise<PostgresProxy> => {
  const { random = Math.random, tls } = options
  const links = new Set<Link>()
  const rules: Array<ActiveRule> = []
  const forwarded = new Signals<Statement>()
  const answered = new Signals<Statement>()
  const acted = new Signals<ActiveRule>()
  const actions: Record<string, number> = {}
  const totals = { connections: 0, statements: 0, resets: 0, halfCloses: 0 }
  let target = addressOf(targetUrl)
  let latencyMs = 0
  let silencesAll = false

  const actionFor = (statement: Statement) => {
    totals.statements++
    for (const rule of rules) {
      const action = rule.actionFor(statement)
      if (action === undefined) continue
      actions[action.kind] = (actions[action.kind] ?? 0) + 1
      // After the action, so that a test that was waiting finds it done.
      setImmediate(() => acted.tell(rule))
      return action
    }
    return undefined
  }

  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (socket) => {
    totals.connections++
    const link = new Link(socket, {
      id: totals.connections,
      target: () => target,
      tls,
      latencyMs: () => latencyMs,
      actionFor,
      forwarded: (statement) => forwarded.tell(statement),
      answered: (statement) => answered.tell(statement),
      closed: (closed) => links.delete(closed),
    })
    links.add(link)
    if (silencesAll) link.silence()
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const url = new URL(targetUrl)
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`

  const each = (which: Which, act: (link: Link) => void): number => {
    const chosen = [...links].filter((link) => which(link.report))
    for (const link of chosen) act(link)
    return chosen.length
  }
  const everyone: Which = () => true

  return {
    url: url.href,
    connections: () => [...links].map(({ report }) => report),
    counts: () => ({ ...totals, actions: { ...actions } }),
    onStatement: (rule) => {
      const active = new ActiveRule(rule, random)
      rules.push(active)
      return {
        acted: () => active.acted,
        reached: async (count, deadlineMs) => {
          if (active.acted >= count) return
          await acted.next((one) => one === active && one.acted >= count, `a rule acting ${count} times`, deadlineMs)
        },
        remove: () => {
          const index = rules.indexOf(active)
          if (index >= 0) rules.splice(index, 1)
        },
      }
    },
    seen: (match, deadlineMs) => forwarded.next((one) => matches(match, one), `a statement like ${match}`, deadlineMs),
    answered: (match, deadlineMs) => answered.next((one) => matches(match, one), `an answer to ${match}`, deadlineMs),
    delayReplies: (ms) => {
      latencyMs = ms
    },
    silence: (scope) => {
      silencesAll = scope === "all"
      for (const link of links) link.silence()
    },
    heal: (which) => {
      each(which ?? everyone, (link) => link.heal())
      if (which !== undefined) return
      latencyMs = 0
      silencesAll = false
      rules.length = 0
    },
    reset: (which = everyone) => {
      const count = each(which, (link) => link.reset())
      totals.resets += count
      return count
    },
    halfClose: (towards, which = everyone) => {
      const count = each(which, (link) => link.halfClose(towards))
      totals.halfCloses += count
      return count
    },
    retarget: (to) => {
      target = addressOf(to)
    },
    close: async () => {
      for (const link of links) link.reset()
      server.close()
      if (server.listening) await once(server, "close")
    },
  }
}
