/** uWebSockets.js, in the build that fits this machine. Its types are those of the older build, which the newer one keeps. */
import type * as Engine from "uWebSockets.js"
import { engineFor, thisMachine } from "./engine-choice.ts"

const load = async (): Promise<typeof Engine> => {
  const choice = engineFor(thisMachine())
  if ("refusal" in choice) throw new Error(choice.refusal)
  return choice.isNext ? await import("uWebSockets.js-next") : await import("uWebSockets.js")
}

export const { App, us_listen_socket_close, us_socket_local_port } = await load()
