/** The plain HTTP port beside the TLS port: answers challenges, and redirects everything else to https. */
import { App } from "../engine/engine.ts"
import type { Certificates } from "./certificates.ts"

const CHALLENGES = "/.well-known/acme-challenge/"
const NONE_YET =
  "This server has no certificate yet, so that nothing can be read from it safely. Its operator finds the reason in its log and in gathercue check."

/** The caller listens with the app. Redirects name the server's own address, whatever name a request gives. */
export const httpPort = (certificates: Certificates, publicUrl: string): ReturnType<typeof App> => {
  const app = App()
  app.get(`${CHALLENGES}:token`, (res, req) => {
    const answer = certificates.answers.get(req.getParameter(0) ?? "")
    res.writeStatus(answer === undefined ? "404 Not Found" : "200 OK").writeHeader("content-type", "text/plain")
    res.end(answer ?? "There is no such challenge.")
  })
  app.get("/healthz", (res) => void res.writeHeader("content-type", "application/json").end('{"status":"ok"}'))
  app.any("/*", (res, req) => {
    // A request body is not read.
    if (!certificates.isThere) {
      const sentence = res.writeStatus("503 Service Unavailable").writeHeader("retry-after", "60")
      sentence.writeHeader("content-type", "text/plain").end(NONE_YET, true)
      return
    }
    const query = req.getQuery()
    const location = `${publicUrl}${req.getUrl()}${query ? `?${query}` : ""}`
    res.writeStatus("308 Permanent Redirect").writeHeader("location", location).end("", true)
  })
  return app
}
