/**
 * Loaded before the server (`node --import`): every function of its compiled sources reports its file when it is called, and a program
 * at the socket of ROADS_SOCKET has a stretch of these reports recorded. The product's own files are not changed.
 */
import { register } from "node:module"
import { createServer } from "node:net"
import { isMainThread } from "node:worker_threads"

if (isMainThread) {
  const entered = []
  let isOn = false
  globalThis.__entered = (file, at) => {
    if (isOn) entered.push(file, at)
  }
  register("./transform.mjs", import.meta.url)
  createServer((socket) => {
    socket.on("data", (text) => {
      isOn = String(text) === "begin"
      socket.write(`${isOn ? "" : JSON.stringify(entered.splice(0))}\n`)
    })
  })
    .listen(process.env.ROADS_SOCKET)
    .unref()
}
