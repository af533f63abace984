/** Hosts of one event or many, whose commands are measured. */
import type { Defer } from "../benchmark.ts"
import { type Child, startChild } from "./child.ts"
import type { CommandersOptions } from "./commanders-process.ts"

export const openCommanders = async (options: CommandersOptions, defer: Defer): Promise<Child> => {
  const child = await startChild(new URL("./commanders-process.js", import.meta.url), defer)
  await child.call("open", options)
  return child
}
