/**
 * A process of our own with an address for calls: load generators and peers, which must not share a core's time unseen
 * with what is measured. The child ends when its parent does.
 */
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import type { Defer } from "../benchmark.ts"

type Call = { readonly id: number; readonly name: string; readonly argument: unknown }
type Answer = { readonly id: number; readonly value?: unknown; readonly error?: string }

export interface Child {
  readonly pid: number
  readonly call: <A>(name: string, argument?: unknown) => Promise<A>
  readonly stop: () => Promise<void>
}

/** `module`: a compiled module that calls `answerParent`. */
export const startChild = async (
  module: URL,
  defer: Defer,
  nodeOptions: ReadonlyArray<string> = [],
): Promise<Child> => {
  const child: ChildProcess = fork(module, { serialization: "advanced", execArgv: [...nodeOptions] })
  const pending = new Map<number, { resolve: (value: unknown) => void; reject: (cause: Error) => void }>()
  let calls = 0
  child.on("message", (message) => {
    const { id, value, error } = message as Answer
    const waiting = pending.get(id)
    pending.delete(id)
    if (error === undefined) waiting?.resolve(value)
    else waiting?.reject(new Error(error))
  })
  child.once("exit", (code) => {
    for (const { reject } of pending.values()) reject(new Error(`${module.pathname} ended (${code})`))
    pending.clear()
  })
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill("SIGTERM")
    await once(child, "exit")
  }
  defer(stop)
  await once(child, "message")
  return {
    pid: child.pid ?? 0,
    call: <A>(name: string, argument?: unknown) =>
      new Promise<A>((resolve, reject) => {
        const id = ++calls
        pending.set(id, { resolve: (value) => resolve(value as A), reject })
        child.send({ id, name, argument } satisfies Call)
      }),
    stop,
  }
}

/** The child's side: answers calls until the parent goes away. */
export const answerParent = (handlers: { readonly [name: string]: (argument: never) => unknown }): void => {
  process.on("disconnect", () => process.exit())
  process.on("message", (message) => {
    const { id, name, argument } = message as Call
    void Promise.resolve()
      .then(() => handlers[name]?.(argument as never))
      .then(
        (value) => ({ id, value }),
        (cause: unknown) => ({ id, error: cause instanceof Error ? (cause.stack ?? cause.message) : String(cause) }),
      )
      .then((answer: Answer) => process.send?.(answer))
  })
  process.send?.({ id: 0 } satisfies Answer)
}
