/** Messages between nodes: each is delivered to every other node that subscribes to its subject, at most once, in order. */
import { Context } from "effect"
import type { Telemetry } from "../../telemetry/telemetry.ts"

export class NodeLink extends Context.Service<
  NodeLink,
  {
    /** Publishes to the other nodes. A message is lost while the link is down, and a message longer than `mostBytes` is never sent. */
    readonly publish: (subject: string, text: string) => void
    /** Subscribes to a subject, which has one subscription at a time in a process. Returns a function that unsubscribes. */
    readonly subscribe: (subject: string, listener: (text: string) => void) => () => void
    /** Calls the listener when messages may have been lost. Returns a function that removes it. */
    readonly onReset: (listener: () => void) => () => void
    /** Most bytes of one message in UTF-8. */
    readonly mostBytes: () => number
  }
>()("gathercue/NodeLink") {}

/** Wraps a listener for messages from outside: a message that cannot be processed ends neither the link nor the process. */
export const guard =
  (log: Telemetry["Service"]["log"], subject: string, listener: (text: string) => void) =>
  (text: string): void => {
    try {
      listener(text)
    } catch (err) {
      log.error({ err, subject }, "a message of another node could not be used")
    }
  }
