/** The server entry of the gateway's description. */
export const serverOf = (publicUrl: string) => {
  const { protocol, host, pathname } = new URL(publicUrl)
  return {
    host,
    ...(pathname === "/" ? {} : { pathname }),
    protocol: protocol === "https:" ? "wss" : "ws",
  }
}
