/** Compares values with the patterns of the vectors: `*` is any value, `?` any or none, `-` none, and `$name` what stood at its first place. */
import { isDeepStrictEqual } from "node:util"
import { demand } from "./eventually.ts"
import { isFrame } from "./frames.ts"

export class Patterns {
  readonly #bound = new Map<string, unknown>()

  /** @throws Broken where the value is another one */
  check(what: string, pattern: unknown, value: unknown): void {
    demand(
      this.#matches(pattern, value),
      `${what}: expected ${JSON.stringify(pattern)}, received ${JSON.stringify(value)}`,
    )
  }

  /** The value with what its `$name`s stand for. */
  filled(value: unknown): unknown {
    if (typeof value === "string") return this.#bound.get(value) ?? value
    if (Array.isArray(value)) return value.map((item) => this.filled(item))
    if (!isFrame(value)) return value
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, this.filled(inner)]))
  }

  #matches(pattern: unknown, value: unknown): boolean {
    if (pattern === "?") return true
    if (pattern === "-") return value === undefined
    if (pattern === "*") return value !== undefined && value !== null
    if (typeof pattern === "string" && pattern.startsWith("$")) {
      if (!this.#bound.has(pattern)) this.#bound.set(pattern, value)
      return isDeepStrictEqual(this.#bound.get(pattern), value)
    }
    if (Array.isArray(pattern))
      return (
        Array.isArray(value) &&
        value.length === pattern.length &&
        pattern.every((item, index) => this.#matches(item, value[index]))
      )
    if (!isFrame(pattern)) return isDeepStrictEqual(pattern, value)
    if (!isFrame(value)) return false
    const names = new Set([...Object.keys(pattern), ...Object.keys(value)])
    return [...names].every((name) => (name in pattern ? this.#matches(pattern[name], value[name]) : false))
  }
}
