/**
 * The ceiling for uploads: uWebSockets.js that writes bodies to files, with nothing behind it. With `isSynced` it answers as ours does:
 * when the bytes are on the disk.
 */

import { close, createWriteStream, fdatasync } from "node:fs"
import { join } from "node:path"
import { App, us_socket_local_port } from "../../src/engine/engine.ts"
import { answerParent } from "../support/child.ts"

interface Given {
  readonly folder: string
  readonly isSynced: boolean
}

const start = ({ folder, isSynced }: Given): Promise<number> =>
  new Promise((resolve, reject) => {
    App({})
      .put("/*", (response, request) => {
        const file = createWriteStream(join(folder, request.getUrl().slice(1)), { autoClose: !isSynced })
        response.onAborted(() => file.destroy())
        const answer = () => {
          response.cork(() => void response.writeStatus("204 No Content").endWithoutBody())
        }
        const finish = () => {
          if (!isSynced) return answer()
          const { fd } = file as unknown as { readonly fd: number }
          return fdatasync(fd, () => close(fd, answer))
        }
        file.on("drain", () => response.resume())
        response.onData((chunk, isLast) => {
          // The engine takes its memory back.
          const isTaken = file.write(Buffer.from(chunk.slice(0)))
          if (isLast) file.end(finish)
          else if (!isTaken) response.pause()
        })
      })
      .listen("127.0.0.1", 0, (socket) => {
        if (socket === false) reject(new Error("cannot listen"))
        else resolve(us_socket_local_port(socket))
      })
  })

answerParent({ start })
