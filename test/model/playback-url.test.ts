import { expect, test } from "vitest"
import { isPlaybackTemplate, playbackUrl } from "../../src/model/media/playback-url.ts"

const BROADCAST = { broadcastId: "b1", eventId: "e1", phaseId: "p1" }

test("a template's places are filled, each as often as it stands there", () => {
  const template = "https://cdn.example/{eventId}/{phaseId}/{broadcastId}.m3u8?b={broadcastId}"
  expect(playbackUrl(template, BROADCAST)).toBe("https://cdn.example/e1/p1/b1.m3u8?b=b1")
})

test("a value in the template stays one part of the address and is not read as a template again", () => {
  const odd = { ...BROADCAST, broadcastId: "../{eventId}?$&" }
  expect(playbackUrl("https://cdn.example/{broadcastId}", odd)).toBe("https://cdn.example/..%2F%7BeventId%7D%3F%24%26")
})

test("a template is an address with known places alone, and one for the broadcast", () => {
  for (const [template, is] of [
    ["https://cdn.example/{broadcastId}/index.m3u8", true],
    ["http://localhost:9000/{eventId}/{phaseId}/{broadcastId}", true],
    ["https://{broadcastId}.cdn.example/", true],
    ["https://cdn.example/{eventId}", false],
    ["https://cdn.example/{broadcastId}/{userId}", false],
    ["https://cdn.example/{broadcastId", false],
    ["https://cdn.example/{broadcastId}/{", false],
    ["https://cdn.example/a b/{broadcastId}", false],
    ["ftp://cdn.example/{broadcastId}", false],
    ["{broadcastId}", false],
  ] as const) {
    expect(isPlaybackTemplate(template), template).toBe(is)
  }
})
