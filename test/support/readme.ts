/** The blocks of code in the README. */
import { readFile } from "node:fs/promises"

/** Those of one language, such as `sh`, in order. */
export const blocksOf = async (language: string): Promise<ReadonlyArray<string>> => {
  const text = await readFile(new URL("../../README.md", import.meta.url), "utf8")
  const fenced = new RegExp(String.raw`^\`\`\`${language}\n(.*?)^\`\`\`$`, "gms")
  return Array.from(text.matchAll(fenced), ([, block = ""]) => block)
}
