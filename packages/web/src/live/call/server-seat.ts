/** A seat on a media server, with its token's claims. */

export interface ServerSeat {
  readonly url: string
  readonly token: string
  /** Room name in the media server. */
  readonly room: string
  /** Unix milliseconds, by the server's clock. */
  readonly usableUntil: number
}

interface Claims {
  readonly exp?: number
  readonly video?: { readonly room?: string }
}

/** Minimum remaining validity of a token that is used. */
const MARGIN_MS = 10_000

const claimsOf = (token: string): Claims => {
  const [, payload = ""] = token.split(".")
  const bytes = Uint8Array.from(atob(payload.replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0))
  return JSON.parse(new TextDecoder().decode(bytes)) as Claims
}

export const seatOf = ({ url, token }: Pick<ServerSeat, "url" | "token">): ServerSeat => {
  const { exp = 0, video } = claimsOf(token)
  return { url, token, room: video?.room ?? "", usableUntil: exp * 1000 - MARGIN_MS }
}
