/** Status lines as the engine writes them. */

const STATUS_TEXTS: Readonly<Record<number, string>> = {
  200: "200 OK",
  201: "201 Created",
  202: "202 Accepted",
  204: "204 No Content",
  206: "206 Partial Content",
  302: "302 Found",
  304: "304 Not Modified",
  400: "400 Bad Request",
  401: "401 Unauthorized",
  403: "403 Forbidden",
  404: "404 Not Found",
  405: "405 Method Not Allowed",
  409: "409 Conflict",
  412: "412 Precondition Failed",
  413: "413 Payload Too Large",
  415: "415 Unsupported Media Type",
  416: "416 Range Not Satisfiable",
  422: "422 Unprocessable Content",
  426: "426 Upgrade Required",
  429: "429 Too Many Requests",
  500: "500 Internal Server Error",
  501: "501 Not Implemented",
  503: "503 Service Unavailable",
}

export const statusText = (status: number): string => STATUS_TEXTS[status] ?? String(status)
