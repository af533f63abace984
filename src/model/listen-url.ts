/** The address of a server that listens there, such as `http://127.0.0.1:8080`. One on all interfaces is reached on loopback. */
export const listenUrl = (host: string, port: number, scheme = "http"): string => {
  if (host.includes(":")) return `${scheme}://[${host}]:${port}`
  return `${scheme}://${host === "0.0.0.0" ? "127.0.0.1" : host}:${port}`
}
