/**
 * Records of a live event in memory: O(1) to find and to replace, for any size of the audience. Only a `Turn`, and the read-back before a
 * turn, write to the store. After a failed commit the whole store is discarded.
 */
import {
  type ChatMessage,
  type ChatPlace,
  chatPlaceOf,
  DEFAULT_SETTINGS,
  type Hand,
  type Kind,
  ONLY,
  type Records,
  type Settings,
} from "../../model/live/live-records.ts"
import { GroupIndex, type RecordIndex, SortedIndex } from "./record-index.ts"

/** The hand raised first comes first; equal times are ordered by id, so that every client has the same order. */
const compareHands = (a: Hand, b: Hand): number => {
  if (a.at !== b.at) return a.at < b.at ? -1 : 1
  if (a.participantId === b.participantId) return 0
  return a.participantId < b.participantId ? -1 : 1
}

const EMPTY: ReadonlyMap<string, unknown> = new Map()

export class RecordStore {
  /** Maps of the kinds that have records: most events have few kinds. */
  #kinds: Map<Kind, Map<string, unknown>> | undefined
  readonly #hands = new SortedIndex<Hand>(compareHands)
  readonly #chat = new GroupIndex<ChatMessage>(chatPlaceOf)
  readonly #indexes: { readonly [K in Kind]?: RecordIndex<Records[K]> } = { hand: this.#hands, chat: this.#chat }

  get<K extends Kind>(kind: K, id: string): Records[K] | undefined {
    return this.#kinds?.get(kind)?.get(id) as Records[K] | undefined
  }

  /** Records of a kind, in the order in which they were first written. */
  all<K extends Kind>(kind: K): ReadonlyMap<string, Records[K]> {
    return (this.#kinds?.get(kind) ?? EMPTY) as ReadonlyMap<string, Records[K]>
  }

  get settings(): Settings {
    return this.get("settings", ONLY) ?? DEFAULT_SETTINGS
  }

  /** The first hands of the queue. */
  firstHands(count: number): ReadonlyArray<Hand> {
    return this.#hands.first(count)
  }

  /** The chat messages of one target in memory, oldest first. */
  chatAt(place: ChatPlace): ReadonlyMap<string, ChatMessage> {
    return this.#chat.of(place)
  }

  /** Writes a record, or removes it; returns the previous value. */
  write<K extends Kind>(kind: K, id: string, record: Records[K] | undefined): Records[K] | undefined {
    const before = this.get(kind, id)
    this.#reindex(kind, id, before, record)
    if (record === undefined) {
      this.#kinds?.get(kind)?.delete(id)
      return before
    }
    this.#kinds ??= new Map()
    const records = this.#kinds.get(kind) ?? new Map<string, unknown>()
    this.#kinds.set(kind, records.set(id, record))
    return before
  }

  #reindex<K extends Kind>(kind: K, id: string, before: Records[K] | undefined, after: Records[K] | undefined): void {
    const index = this.#indexes[kind]
    if (index === undefined) return
    if (before !== undefined) index.remove(id, before)
    if (after !== undefined) index.add(id, after)
  }
}
