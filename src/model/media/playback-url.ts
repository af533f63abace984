/** Address for watching a broadcast: a template of the deployment, filled with the ids of the broadcast. */

interface PlayedBroadcast {
  readonly broadcastId: string
  readonly eventId: string
  readonly phaseId: string
}

/** A broadcast that goes live, for which the deployment chooses the address. */
export interface StartedBroadcast extends PlayedBroadcast {
  /** True for a private event: the address is a credential. */
  readonly isPrivate: boolean
  /** Unix milliseconds. */
  readonly startedAt: number
}

/** Null: the deployment has no address for the broadcast. */
export type PlaybackUrlOf = (broadcast: StartedBroadcast) => string | null

const PLACE = /\{([^{}]*)\}/g
const IDS: ReadonlySet<string> = new Set<keyof PlayedBroadcast>(["broadcastId", "eventId", "phaseId"])

/** The filled template; each id is percent-encoded as one part of the address. */
export const playbackUrl = (template: string, broadcast: PlayedBroadcast): string =>
  template.replaceAll(PLACE, (place, name: string) =>
    IDS.has(name) ? encodeURIComponent(broadcast[name as keyof PlayedBroadcast]) : place,
  )

/** Whether the template names the broadcast and no unknown id, and is a web address when filled. */
export const isPlaybackTemplate = (template: string): boolean => {
  const filled = playbackUrl(template, { broadcastId: "b", eventId: "e", phaseId: "p" })
  return (
    template.includes("{broadcastId}") &&
    !/[{}\s]/.test(filled) &&
    URL.canParse(filled) &&
    ["https:", "http:"].includes(new URL(filled).protocol)
  )
}

const MAX_URL_LENGTH = 2048

/** Whether the user's address for watching is a web address, and short enough for every browser. */
export const isWatchable = (url: string): boolean =>
  url.length <= MAX_URL_LENGTH && URL.canParse(url) && ["https:", "http:"].includes(new URL(url).protocol)
