/** The routes of encoders, by which they push fragmented MP4 or begin to send by WebRTC. */
import type { Timers } from "../../../clock/timers.ts"
import type { BearerLinks } from "../../../identity/links/bearer-links.ts"
import type { EncoderServer } from "../../../media/rooms/encoder-sessions.ts"
import type { Problems } from "../../transport/problem.ts"
import type { StreamRoute } from "../../transport/uws-http.ts"
import { Ingest, type RunIngest } from "./ingest.ts"
import { Whip } from "./whip.ts"

interface EncoderNeeds {
  readonly run: RunIngest
  readonly problems: Problems
  readonly bearers: BearerLinks["Service"]
  readonly timers: Timers
  readonly server: typeof EncoderServer.Service
}

export const encoderRoutes = ({ run, problems, bearers, timers, server }: EncoderNeeds): ReadonlyArray<StreamRoute> => {
  const ingest = new Ingest(run, problems, bearers, timers)
  const whip = new Whip(run, problems, bearers, server)
  return [
    { method: "PUT", path: "/v1/ingest/:token/:name", crossOrigin: true, accept: ingest.take },
    { method: "POST", path: "/v1/ingest/:token/:name", crossOrigin: true, accept: ingest.take },
    { method: "DELETE", path: "/v1/ingest/:token/:name", crossOrigin: true, accept: ingest.remove },
    { method: "POST", path: "/v1/whip", crossOrigin: true, accept: whip.begin },
    { method: "DELETE", path: "/v1/whip/:session", crossOrigin: true, accept: whip.end },
  ]
}
