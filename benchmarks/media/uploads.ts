/** Uploads to the disk: ours, nginx, and the bare engine. */
import { readdirSync } from "node:fs"
import { rm } from "node:fs/promises"
import { join } from "node:path"
import type { NginxPeer } from "../broadcast/nginx-peer.ts"
import type { Child } from "../support/child.ts"
import { number, printRows, sleep, spread } from "../support/figures.ts"
import { cpuSeconds, residentBytes } from "../support/process-usage.ts"
import { atLeast, atMost, type Goal, ratio } from "../support/report.ts"
import { begin, type House, MEBIBYTE, remove, wavHead } from "./house.ts"
import type { Put, Transferred } from "./transfer-process.ts"

export const AT_ONCE = 8

interface Side {
  readonly name: string
  readonly pid: number
  /** Addresses for so many uploads, and what to do afterwards. */
  readonly targets: (
    count: number,
    bytes: number,
  ) => Promise<{ urls: ReadonlyArray<string>; clear: () => Promise<unknown> }>
}

export const oursAsSide = (house: House): Side => ({
  name: "Gathercue",
  pid: house.server.pid,
  targets: async (count, bytes) => {
    const begun = await Promise.all(Array.from({ length: count }, () => begin(house, bytes)))
    return {
      urls: begun.map(({ uploadUrl }) => uploadUrl),
      clear: async () => {
        await Promise.all(begun.map(({ id }) => remove(house, id)))
        // The bytes are removed by jobs, which must not run beside the next round.
        await sleep(1000)
      },
    }
  },
})

export const filesAsSide = (name: string, { pid, port }: NginxPeer, folder: string): Side => ({
  name,
  pid,
  targets: async (count) => ({
    urls: Array.from({ length: count }, (_, index) => `http://127.0.0.1:${port}/upload-${index}`),
    clear: async () => {
      const written = readdirSync(folder).filter((file) => file.startsWith("upload-"))
      await Promise.all(written.map((file) => rm(join(folder, file), { force: true })))
    },
  }),
})

interface Measured {
  readonly mebibytesPerSecond: number[]
  readonly perCpuSecond: number[]
  resident: number
}

const measureUploads = async (
  loader: Child,
  sides: ReadonlyArray<Side>,
  { rounds, count, bytes }: { readonly rounds: number; readonly count: number; readonly bytes: number },
): Promise<ReadonlyArray<Measured>> => {
  const measured = sides.map((): Measured => ({ mebibytesPerSecond: [], perCpuSecond: [], resident: 0 }))
  for (let round = -1; round < rounds; round++) {
    for (const [index, { pid, targets }] of sides.entries()) {
      const size = round < 0 ? 16 * MEBIBYTE : bytes
      const { urls, clear } = await targets(count, size)
      const before = cpuSeconds(pid)
      const looking = setInterval(() => {
        const of = measured[index]
        if (of !== undefined) of.resident = Math.max(of.resident, residentBytes(pid))
      }, 50)
      const given: Put = { urls, bytes: size, head: wavHead(size) }
      const done = await loader.call<Transferred>("put", given)
      clearInterval(looking)
      const cpu = cpuSeconds(pid) - before
      await clear()
      if (round < 0) continue
      measured[index]?.mebibytesPerSecond.push(done.bytes / MEBIBYTE / done.seconds)
      measured[index]?.perCpuSecond.push(done.bytes / MEBIBYTE / cpu)
    }
  }
  return measured
}

const printUploads = (title: string, sides: ReadonlyArray<Side>, measured: ReadonlyArray<Measured>): void => {
  console.log("")
  printRows([
    [title, "MiB/s", "MiB per CPU second", "most resident MiB"],
    ...sides.map(({ name }, index) => {
      const { mebibytesPerSecond = [], perCpuSecond = [], resident = 0 } = measured[index] ?? {}
      return [name, spread(mebibytesPerSecond), spread(perCpuSecond), number(resident / MEBIBYTE)]
    }),
  ])
}

export interface Verdict {
  readonly goals: ReadonlyArray<Goal>
  readonly ratios: ReadonlyArray<string>
}

/** One upload at a time, and eight that share its bytes. `sides`: ours, the bare engine that syncs and that does not, nginx. */
export const compareUploads = async (
  loader: Child,
  sides: ReadonlyArray<Side>,
  rounds: number,
  bytes: number,
): Promise<Verdict> => {
  const goals: Goal[] = []
  const ratios: string[] = []
  for (const count of [1, AT_ONCE]) {
    const measured = await measureUploads(loader, sides, { rounds, count, bytes: bytes / count })
    const size = number(bytes / count / MEBIBYTE)
    printUploads(`${count} upload${count === 1 ? "" : "s at once"} of ${size} MiB`, sides, measured)
    const [ours, synced, bare, dav] = measured
    if (ours === undefined || synced === undefined || bare === undefined || dav === undefined) break
    const toSynced = ratio(`${count} PUT to raw uWS that syncs`, ours.mebibytesPerSecond, synced.mebibytesPerSecond)
    const toBare = ratio(`${count} PUT to raw uWS`, ours.mebibytesPerSecond, bare.mebibytesPerSecond)
    const toNginx = ratio(`${count} PUT to nginx`, ours.mebibytesPerSecond, dav.mebibytesPerSecond)
    ratios.push(toSynced.text, toBare.text, toNginx.text)
    goals.push(
      atLeast(toSynced.text, toSynced.value, 0.8, "x"),
      atLeast(toBare.text, toBare.value, 0.8, "x"),
      atLeast(toNginx.text, toNginx.value, 2, "x"),
    )
    if (count > 1) continue
    goals.push(atMost("resident", ours.resident / MEBIBYTE, 200, "MiB"))
  }
  return { goals, ratios }
}
