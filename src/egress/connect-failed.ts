/** No connection could be made. */
export class ConnectFailed extends Error {
  readonly reason: "connect" | "tls"

  constructor(reason: "connect" | "tls", cause: Error) {
    super(cause.message, { cause })
    this.reason = reason
  }
}
