/** Lists of a workspace's events: their pages, and the events that match. */
import { beforeAll, describe, expect, test } from "vitest"
import { type CallOptions, call, createEvent, createLiveEvent, createWorkspace } from "../support/api.ts"
import { sharedServer, sharedWorkspace } from "../support/shared.ts"

const server = sharedServer()
const acme = sharedWorkspace(server)
const other = sharedWorkspace(server)

const api = (method: string, path: string, options: CallOptions = {}) =>
  call(server.url, method, path, { key: acme.key, ...options })

describe("listing events", () => {
  test("shows a hundred when no limit is given, and the rest on the next page", async () => {
    const many = await createWorkspace(server.url)
    for (let batch = 0; batch < 101; batch++) {
      await call(server.url, "POST", "/v1/events", {
        key: many.key,
        body: { type: "webinar", title: `Event ${batch}` },
      })
    }
    const first = await call(server.url, "GET", "/v1/events", { key: many.key })
    expect(first.body.events).toHaveLength(100)
    const second = await call(server.url, "GET", `/v1/events?cursor=${first.body.nextCursor}`, { key: many.key })
    expect(second.body.events.map(({ title }: { title: string }) => title)).toEqual(["Event 0"])
  })

  test("goes newest first through pages without a gap or a repeat, and follows Link", async () => {
    const pages = await createWorkspace(server.url)
    const ids: string[] = []
    for (let n = 0; n < 5; n++) ids.unshift((await createEvent(server.url, pages.key, { title: `E${n}` })).id)
    const seen: string[] = []
    let path: string | undefined = "/v1/events?limit=2"
    let turns = 0
    while (path !== undefined) {
      const page: Awaited<ReturnType<typeof api>> = await api("GET", path, { key: pages.key })
      seen.push(...page.body.events.map((event: { id: string }) => event.id))
      path = /<([^>]+)>; rel="next"/.exec(page.headers.get("link") ?? "")?.[1]
      expect(page.body.nextCursor === null).toBe(path === undefined)
      turns++
    }
    expect([seen, turns]).toEqual([ids, 3])
  })

  test.each(["limit=0", "limit=101", "limit=x", "limit=1.5", "cursor=nonsense", "cursor="])(
    "refuses ?%s",
    async (query) => {
      const answer = await api("GET", `/v1/events?${query}`)
      expect([answer.status, answer.body.code]).toEqual([400, "bad_request"])
    },
  )

  describe("that match", () => {
    const house = sharedWorkspace(server)
    const titled = async (query: string): Promise<ReadonlyArray<string>> => {
      const answer = await api("GET", `/v1/events?${query}`, { key: house.key })
      expect(answer.status, query).toBe(200)
      return answer.body.events.map(({ title }: { title: string }) => title)
    }
    beforeAll(async () => {
      const plans = [
        { title: "Spring Launch", type: "webinar", scheduledAt: "2030-03-01T10:00:00+01:00" },
        { title: "ＬＡＵＮＣＨ 100%_off", type: "meetup", scheduledAt: "2030-03-02T00:00:00Z" },
        { title: "Retro", type: "webinar" },
      ]
      for (const plan of plans) await createEvent(server.url, house.key, plan)
      await createLiveEvent(server.url, house.key, { title: "Now", type: "webinar" })
    })

    test.each([
      ["q=launch", ["ＬＡＵＮＣＨ 100%_off", "Spring Launch"]],
      ["q=0%25_O", ["ＬＡＵＮＣＨ 100%_off"]],
      ["q=g%25L", []],
      ["q=%5C", []],
      ["status=live", ["Now"]],
      ["status=draft&type=webinar", ["Retro", "Spring Launch"]],
      ["type=Webinar", []],
      ["from=2030-03-01T09:00:00Z", ["ＬＡＵＮＣＨ 100%_off", "Spring Launch"]],
      ["from=2030-03-01T09:00:00.001Z", ["ＬＡＵＮＣＨ 100%_off"]],
      ["to=2030-03-02T00:00:00Z", ["Spring Launch"]],
      ["from=2030-03-02T01:00:00%2B01:00&to=2030-03-03T00:00:00Z&q=off", ["ＬＡＵＮＣＨ 100%_off"]],
      ["q=launch&status=ended", []],
    ])("?%s are listed alone", async (query, titles) => {
      expect(await titled(query)).toEqual(titles)
    })

    test("go on with the same conditions on the next page", async () => {
      const first = await api("GET", "/v1/events?type=webinar&status=draft&limit=1", { key: house.key })
      expect(first.body.events).toMatchObject([{ title: "Retro" }])
      const next = /<([^>]+)>; rel="next"/.exec(first.headers.get("link") ?? "")?.[1] ?? ""
      const second = await api("GET", next, { key: house.key })
      expect([second.body.events.map(({ title }: { title: string }) => title), second.body.nextCursor]).toEqual([
        ["Spring Launch"],
        null,
      ])
    })

    test.each(["q=", `q=${"x".repeat(201)}`, "q=%00", "status=open", "status=", "type=", "from=2030-03-01", "to=soon"])(
      "?%s is refused",
      async (query) => {
        const answer = await api("GET", `/v1/events?${query}`, { key: house.key })
        expect([answer.status, answer.body.code]).toEqual([400, "bad_request"])
      },
    )
  })

  test("shows only the own workspace's", async () => {
    const foreign = await createEvent(server.url, other.key)
    const list = await api("GET", "/v1/events")
    expect(list.body.events.some((event: { id: string }) => event.id === foreign.id)).toBe(false)
  })
})
