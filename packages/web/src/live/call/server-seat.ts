/** A seat on a media server, with what its token says of itself. */

export interface Seat {
  readonly url: string
  readonly token: string
  /** The media server's name. */
  readonly room: string
  /** By the clock of this page (`performance.now`): that of the machine may be wrong. */
  readonly usableUntil: number
}

interface Claims {
  readonly nbf?: number
  readonly exp?: number
  readonly video?: { readonly room?: string }
}

/** For the way to the media server. */
const MARGIN_MS = 10_000

const claimsOf = (token: string): Claims => {
  const [, payload = ""] = token.split(".")
  const bytes = Uint8Array.from(atob(payload.replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0))
  return JSON.parse(new TextDecoder().decode(bytes)) as Claims
}

/** Of a token that has just come. */
export const seatOf = ({ url, token }: Pick<Seat, "url" | "token">): Seat => {
  const { nbf = 0, exp = 0, video } = claimsOf(token)
  return { url, token, room: video?.room ?? "", usableUntil: performance.now() + (exp - nbf) * 1000 - MARGIN_MS }
}
