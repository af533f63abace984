/** Frames of a socket, newest first, with the stream and the number of each dispatch. */
import { useSyncExternalStore } from "react"
import { useConsoleTexts } from "../texts/language.tsx"
import type { FrameLog, RecordedFrame } from "./recorded-socket.ts"

const SHOWN = 60

interface Head {
  readonly t?: string
  readonly op?: number
  readonly st?: string
  readonly s?: number
}

/** A packed frame holds several messages, one per line. */
const headsOf = (text: string): ReadonlyArray<Head> =>
  text.split("\n").flatMap((line) => {
    try {
      const parsed = JSON.parse(line) as Head | ReadonlyArray<Head>
      return Array.isArray(parsed) ? parsed : [parsed as Head]
    } catch {
      return []
    }
  })

const titleOf = ({ text }: RecordedFrame): string =>
  headsOf(text)
    .map(({ t, op, st, s }) => [t ?? `op ${op}`, st, s].filter((part) => part !== undefined).join(" "))
    .join(", ")

export const Frames = ({ log }: { readonly log: FrameLog }) => {
  const { play } = useConsoleTexts()
  const frames = useSyncExternalStore(log.subscribe, log.frames)
  return (
    <ol className="frames" aria-label={play.frames}>
      {frames
        .slice(-SHOWN)
        .toReversed()
        .map((frame) => (
          <li key={frame.n}>
            <details>
              <summary>
                <span aria-hidden="true">{frame.direction === "in" ? "↓" : "↑"}</span>
                <span className="visually-hidden">{frame.direction === "in" ? play.received : play.sent}</span>{" "}
                {titleOf(frame)}
              </summary>
              <pre className="frame">{frame.text}</pre>
            </details>
          </li>
        ))}
    </ol>
  )
}
