/** Address of a server that listens on this host, such as `http://127.0.0.1:8080`. A server on all interfaces is reached on loopback. */
export const listenUrl = (host: string, port: number, scheme = "http"): string => {
  if (host.includes(":")) return `${scheme}://[${host}]:${port}`
  return `${scheme}://${host === "0.0.0.0" ? "127.0.0.1" : host}:${port}`
}
