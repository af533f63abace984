/** One person's part in the current round, or in the break before the next one. */
import type { GatewayClient, RotationRoundView } from "@gathercue/client"
import { useEvent } from "@gathercue/client/react"
import { useLanguage, useTexts } from "../../texts/language.tsx"
import { clockOf } from "../../texts/words.ts"
import { useSecondsUntil } from "../use-seconds-until.ts"

interface Props {
  readonly client: GatewayClient
}

const Meeting = ({ client, round }: Props & { readonly round: RotationRoundView }) => {
  const { live } = useTexts()
  const language = useLanguage()
  const isPaused = useEvent(client, ({ rooms }) => rooms.rotation?.status === "paused") ?? false
  const starts = useSecondsUntil(client, round.startsAt) ?? 0
  const ends = useSecondsUntil(client, round.endsAt) ?? 0
  const partners = new Intl.ListFormat(language).format(round.partners.map(({ name }) => name))
  const meets = partners === "" ? live.partnerGone : live.youMeet(partners)
  const time = starts > 0 ? live.startsIn(clockOf(starts)) : live.left(clockOf(ends))
  return (
    <>
      <p role="status">
        {round.bye ? live.bye : meets}
        {round.repeat ? <span className="quiet"> {live.metBefore}</span> : null}
      </p>
      <p className="row">
        <span className="badge">{live.round(round.n)}</span>
        <span className="badge">{isPaused ? live.roundPaused : time}</span>
      </p>
    </>
  )
}

const Break = ({ client }: Props) => {
  const { live } = useTexts()
  const status = useEvent(client, ({ rooms }) => rooms.rotation?.status)
  const isOut = useEvent(client, ({ rooms }) => rooms.optedOut) ?? false
  const next = useSecondsUntil(
    client,
    useEvent(client, ({ rooms }) => (rooms.rotation?.status === "break" ? rooms.rotation.endsAt : null)),
  )
  if (isOut) return <p role="status">{live.optedOut}</p>
  if (status === undefined) return <p role="status">{live.rotationSoon}</p>
  if (status === "ended") return <p role="status">{live.rotationOver}</p>
  return (
    <>
      <p role="status">{status === "paused" ? live.roundPaused : live.waitsForRound}</p>
      {next === null ? null : <p className="badge">{live.nextIn(clockOf(next))}</p>}
    </>
  )
}

export const RoundView = ({ client }: Props) => {
  const round = useEvent(client, ({ rooms }) => rooms.round) ?? null
  return round === null ? <Break client={client} /> : <Meeting client={client} round={round} />
}
