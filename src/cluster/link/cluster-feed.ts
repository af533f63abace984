/**
 * The publication feed across several nodes: listeners on this node are called directly, the other nodes get one copy each over the link. A
 * message that is too long for the link is sent without its content, so that its receivers read the store.
 */
import { Effect, Layer } from "effect"
import { NodeListeners, type NodeMessage } from "../../actors/calls/node-messages.ts"
import { Feed, type FeedListener, type FeedMessage, memoryFeed } from "../../actors/feed.ts"
import { Listeners } from "../../model/listeners.ts"
import { NodeLink } from "./node-link.ts"

/**
 * Format version of the messages between nodes. Two releases run side by side during an upgrade of a cluster: a field may be added under
 * the same number, and a node that receives another number compares its events with the store instead.
 */
export const FEED_FORMAT = 1

interface WireMessage {
  readonly v: number
  readonly message: FeedMessage
}

interface WireNodeMessage {
  readonly v: number
  readonly message: NodeMessage
}

const BYTES_PER_CHARACTER = 3

const withoutContent = (message: FeedMessage): FeedMessage => ({
  ...message,
  // A subscriber at an older version reads the store.
  kind: "note",
  from: message.version,
  publications: [],
  ephemeral: [],
  ejections: [],
  participantChanges: [],
})

const isWithin = (text: string, mostBytes: number): boolean =>
  text.length * BYTES_PER_CHARACTER <= mostBytes || Buffer.byteLength(text) <= mostBytes

const encode = (message: FeedMessage, mostBytes: number): string => {
  const wire = (of: FeedMessage): string => JSON.stringify({ v: FEED_FORMAT, message: of } satisfies WireMessage)
  const text = wire(message)
  return isWithin(text, mostBytes) ? text : wire(withoutContent(message))
}

const subjectOf = (eventId: string): string => `ev.${eventId}`

/** Subject for a node, encoded because the host in a node's name may contain characters that a subject does not allow. */
const subjectOfNode = (node: string): string => `node.${Buffer.from(node).toString("base64url")}`

/** Messages to single nodes: by calls within this process, over the link to all others. */
const nodeRoad = (link: NodeLink["Service"]): Pick<Feed["Service"], "tell" | "listen"> => {
  const here = new NodeListeners()
  /** Functions that end the subscriptions of nodes with listeners here. */
  const ends = new Map<string, () => void>()
  return {
    tell: (node, message) => {
      if (here.has(node)) {
        here.tell(node, message)
        return
      }
      const text = JSON.stringify({ v: FEED_FORMAT, message } satisfies WireNodeMessage)
      // A longer message is dropped, and its receiver notices the gap.
      if (isWithin(text, link.mostBytes())) link.publish(subjectOfNode(node), text)
    },
    listen: (node, eventId, listener) => {
      if (!here.has(node)) {
        const stop = link.subscribe(subjectOfNode(node), (text) => {
          const { v, message } = JSON.parse(text) as WireNodeMessage
          if (v === FEED_FORMAT) here.tell(node, message)
        })
        ends.set(node, stop)
      }
      const silence = here.add(node, eventId, listener)
      return () => {
        silence()
        if (here.has(node)) return
        ends.get(node)?.()
        ends.delete(node)
      }
    },
  }
}

export const clusterFeedLayer: Layer.Layer<Feed, never, NodeLink> = Layer.effect(
  Feed,
  Effect.map(NodeLink, (link) => {
    const here = memoryFeed()
    const resets = new Listeners<void>()
    link.onReset(() => resets.notify())
    /** Events with listeners here: their number, and the function that ends the subscription to other nodes. */
    const followed = new Map<string, { listeners: number; readonly stop: () => void }>()

    const follow = (eventId: string): { listeners: number; readonly stop: () => void } => {
      const known = followed.get(eventId)
      if (known !== undefined) return known
      const stop = link.subscribe(subjectOf(eventId), (text) => {
        const { v, message } = JSON.parse(text) as WireMessage
        if (v === FEED_FORMAT) here.publish(message)
        else resets.notify()
      })
      const begun = { listeners: 0, stop }
      followed.set(eventId, begun)
      return begun
    }

    return {
      ...nodeRoad(link),
      publish: (message) => {
        here.publish(message)
        link.publish(subjectOf(message.eventId), encode(message, link.mostBytes()))
      },
      subscribe: (eventId: string, listener: FeedListener) => {
        const entry = follow(eventId)
        const silence = here.subscribe(eventId, listener)
        entry.listeners++
        let isOver = false
        return () => {
          silence()
          if (isOver) return
          isOver = true
          entry.listeners--
          if (entry.listeners > 0) return
          followed.delete(eventId)
          entry.stop()
        }
      },
      onReset: resets.subscribe,
    }
  }),
)
