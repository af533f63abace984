import { expect, test } from "vitest"
import { deprecationHeaders } from "../../src/http/transport/deprecation.ts"

test("a retirement is in the header fields of RFC 9745 and RFC 8594", () => {
  const retirement = {
    since: "2030-01-01T00:00:00Z",
    until: "2031-06-01T00:00:00Z",
    insteadUrl: "https://api.gathercue.dev/v1/docs#getEvent",
  }
  expect(deprecationHeaders(retirement)).toEqual([
    ["deprecation", "@1893456000"],
    ["sunset", "Sun, 01 Jun 2031 00:00:00 GMT"],
    ["link", '<https://api.gathercue.dev/v1/docs#getEvent>; rel="deprecation"'],
  ])
})
