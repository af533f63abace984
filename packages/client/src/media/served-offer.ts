/** The part of a browser's offer that the media server reads: a whole offer with a dozen places is larger than a frame of the gateway. */

/** Lines of the session and of a section, by what they begin with. */
const KEPT = [
  "v=",
  "o=",
  "s=",
  "t=",
  "m=",
  "a=mid:",
  "a=ice-ufrag:",
  "a=ice-pwd:",
  "a=fingerprint:",
  "a=rid:",
  "a=sendonly",
  "a=recvonly",
  "a=inactive",
]
const CODECS = /^a=rtpmap:\d+ (?:opus\/48000|VP8\/90000)/i
const EXTENSIONS = /^a=extmap:\d+ \S*(?:sdes:mid|sdes:rtp-stream-id|ssrc-audio-level|abs-send-time)$/
/** One line names a source; the others describe it. */
const SOURCE = /^a=ssrc:\d+ cname:/

/** In a bundle all sections have the path and the certificate of the first one. */
const ONCE = ["a=ice-ufrag:", "a=ice-pwd:", "a=fingerprint:"]

export const servedOffer = (sdp: string): string => {
  const seen = new Set<string>()
  const isNew = (line: string): boolean => {
    const name = ONCE.find((start) => line.startsWith(start))
    if (name === undefined) return true
    const isFirst = !seen.has(name)
    seen.add(name)
    return isFirst
  }
  const lines = sdp
    .split("\r\n")
    .filter(
      (line) =>
        (KEPT.some((start) => line.startsWith(start)) && isNew(line)) ||
        CODECS.test(line) ||
        EXTENSIONS.test(line) ||
        SOURCE.test(line),
    )
    // The numbers of the other codecs are not needed either.
    .map((line) => line.replace(/^(m=\w+ \d+ \S+ \d+).*$/, "$1"))
  return `${lines.join("\r\n")}\r\n`
}
