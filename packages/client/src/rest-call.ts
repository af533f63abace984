/** Settings of one REST call, besides the endpoint's parameters. */
export interface CallSettings {
  /** Key for this request: a repeat within a day gets the first answer. For authenticated POSTs. */
  readonly idempotencyKey?: string
  readonly signal?: AbortSignal
}
