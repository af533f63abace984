/** Addresses of STUN and TURN servers (RFC 7064, RFC 7065): only a TURN address names a transport. */

const ICE_URL =
  /^(?:stuns?:(?<stun>(?:\[[0-9a-f:.]+\]|[\w.-]+)(?::\d{1,5})?)|turns?:(?<turn>(?:\[[0-9a-f:.]+\]|[\w.-]+)(?::\d{1,5})?)(?:\?transport=(?:udp|tcp))?)$/i

/**
 * Whether browsers accept the address. A browser makes no connection at all with an address that it cannot parse, such as one with port 0
 * or 65536.
 */
export const isIceUrl = (text: string): boolean => {
  const { stun, turn } = ICE_URL.exec(text)?.groups ?? {}
  const host = stun ?? turn
  return host !== undefined && !/:0+$/.test(host) && URL.canParse(`http://${host}`)
}

/** Whether the server relays (TURN); others (STUN) only tell a browser its own address. */
export const isTurnUrl = (url: string): boolean => /^turns?:/i.test(url)
