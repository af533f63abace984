/** Messages between nodes: each is delivered to every other node that subscribes to its subject, at most once, in order. */
import { Context } from "effect"
import type { Telemetry } from "../../telemetry/telemetry.ts"

export class NodeLink extends Context.Service<
  NodeLink,
  {
    /** To the other nodes. A message is lost while the link is, and one longer than `mostBytes` is never sent. */
    readonly publish: (subject: string, text: string) => void
    /** A subject has one subscription at a time in a process. Returns the end of it. */
    readonly subscribe: (subject: string, listener: (text: string) => void) => () => void
    /** Calls when messages may have been lost. Returns the end of it. */
    readonly onReset: (listener: () => void) => () => void
    /** Of one message, in UTF-8. */
    readonly mostBytes: () => number
  }
>()("gathercue/NodeLink") {}

/** The listener for what comes from outside: a message that cannot be used ends neither the link nor the process. */
export const guard =
  (log: Telemetry["Service"]["log"], subject: string, listener: (text: string) => void) =>
  (text: string): void => {
    try {
      listener(text)
    } catch (err) {
      log.error({ err, subject }, "a message of another node could not be used")
    }
  }
