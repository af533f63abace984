/** Addresses of STUN and TURN servers (RFC 7064, RFC 7065): only a TURN address names a transport. */

const ICE_URL =
  /^(?:stuns?:(?:\[[0-9a-f:.]+\]|[\w.-]+)(?::\d{1,5})?|turns?:(?:\[[0-9a-f:.]+\]|[\w.-]+)(?::\d{1,5})?(?:\?transport=(?:udp|tcp))?)$/i

export const isIceUrl = (text: string): boolean => ICE_URL.test(text)

/** A server that relays; others only tell a browser its own address. */
export const isTurnUrl = (url: string): boolean => /^turns?:/i.test(url)
