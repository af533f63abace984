/** An environment key as the help and the configuration pages show it. */
export interface Key {
  readonly name: string
  readonly fallback: string
  readonly doc: string
  readonly secret?: true
}
