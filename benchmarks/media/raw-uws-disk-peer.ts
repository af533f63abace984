/** The ceiling for uploads: uWebSockets.js that writes bodies to files, with nothing behind it. */

import { App, us_socket_local_port } from "uWebSockets.js"
import { createWriteStream } from "node:fs"
import { join } from "node:path"
import { answerParent } from "../support/child.ts"

const start = ({ folder }: { readonly folder: string }): Promise<number> =>
  new Promise((resolve, reject) => {
    App({})
      .put("/*", (response, request) => {
        const file = createWriteStream(join(folder, request.getUrl().slice(1)))
        response.onAborted(() => file.destroy())
        file.on("drain", () => response.resume())
        response.onData((chunk, isLast) => {
          // The engine takes its memory back.
          const isTaken = file.write(Buffer.from(chunk.slice(0)))
          if (isLast) file.end(() => response.cork(() => void response.writeStatus("204 No Content").endWithoutBody()))
          else if (!isTaken) response.pause()
        })
      })
      .listen("127.0.0.1", 0, (socket) => {
        if (socket === false) reject(new Error("cannot listen"))
        else resolve(us_socket_local_port(socket))
      })
  })

answerParent({ start })
