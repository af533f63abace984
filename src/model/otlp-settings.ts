/** Destination and sampling of traces. */
import type { Redacted } from "effect"

export interface OtlpSettings {
  /** Base address of the collector, such as `http://127.0.0.1:4318`. */
  readonly endpoint: string
  readonly headers: ReadonlyArray<readonly [name: string, value: Redacted.Redacted<string>]>
  readonly serviceName: string
  /** Share of requests, commands and webhook attempts that are traced, 0 to 1. */
  readonly ratio: number
}
