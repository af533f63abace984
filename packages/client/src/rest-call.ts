/** Settings of one call of REST, beside the endpoint's parameters. */
export interface CallSettings {
  /** A name for this request: a repeat within a day gets the first answer. For authenticated POSTs. */
  readonly idempotencyKey?: string
  readonly signal?: AbortSignal
}
