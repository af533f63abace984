/** The ceiling for `rest` and `static`: uWebSockets.js answering fixed bytes from one route, with no request read and nothing decided. */
import { App, us_socket_local_port } from "../../src/engine/engine.ts"
import { answerParent } from "../support/child.ts"

export interface FixedAnswer {
  readonly path: string
  readonly status: string
  readonly headers: ReadonlyArray<readonly [string, string]>
  readonly body: string | Uint8Array
}

const start = ({ path, status, headers, body }: FixedAnswer): Promise<number> =>
  new Promise((resolve, reject) => {
    const app = App({})
    app.get(path, (res) => {
      res.cork(() => {
        res.writeStatus(status)
        for (const [name, value] of headers) res.writeHeader(name, value)
        res.end(body)
      })
    })
    app.listen("127.0.0.1", 0, (socket) => {
      if (socket === false) reject(new Error("cannot listen"))
      else resolve(us_socket_local_port(socket))
    })
  })

answerParent({ start })
