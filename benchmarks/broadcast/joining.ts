/** A viewer that joins: how long until it has what it needs for its first picture. */

const bytesOf = async (url: string): Promise<ArrayBuffer> => {
  const answer = await fetch(url)
  if (!answer.ok) throw new Error(`${url}: ${answer.status}`)
  return answer.arrayBuffer()
}

/** Players begin so many segments before the end. */
const BEHIND = 3

/** Milliseconds for playlist, description and first segment, one after the other. */
const joinOnce = async (playbackUrl: string): Promise<number> => {
  const begunAt = performance.now()
  const playlist = new TextDecoder().decode(await bytesOf(playbackUrl))
  const segments = playlist.split("\n").filter((line) => line !== "" && !line.startsWith("#"))
  const description = /#EXT-X-MAP:URI="([^"]+)"/.exec(playlist)?.[1]
  const first = segments.at(-BEHIND)
  if (description === undefined || first === undefined) throw new Error("the playlist has too few segments")
  await bytesOf(new URL(description, playbackUrl).href)
  await bytesOf(new URL(first, playbackUrl).href)
  return performance.now() - begunAt
}

/** So many viewers, one after the other. */
export const joinTimes = async (playbackUrl: string, count: number): Promise<ReadonlyArray<number>> => {
  const times: number[] = []
  for (let n = 0; n < count; n++) times.push(await joinOnce(playbackUrl))
  return times
}
