/** Tables and figures of the deployment's status. */

import type { PlatformStatus } from "@gathercue/client"
import { useState } from "react"
import { useConsoleTexts, useFormats } from "../texts/language.tsx"
import { ProblemNotice } from "../ui/notice.tsx"
import { EventChart } from "./event-chart.tsx"
import { Table } from "./table.tsx"

const MEBIBYTE = 1_048_576

interface Props {
  readonly status: PlatformStatus
}

const Figure = ({ name, value }: { readonly name: string; readonly value: string }) => (
  <div className="panel figure">
    <dt>{name}</dt>
    <dd>{value}</dd>
  </div>
)

const Figures = ({ status: { process, liveEvents, backlog, release, certificate } }: Props) => {
  const { ops } = useConsoleTexts()
  const { number, span, moment } = useFormats()
  const waiting = ({ count, overdueSeconds }: { readonly count: number; readonly overdueSeconds: number }) =>
    count === 0 ? ops.none : ops.waiting(number(count), overdueSeconds)
  return (
    <dl className="figures">
      <Figure name={ops.liveEvents} value={number(liveEvents.total)} />
      <Figure name={ops.sockets} value={number(process.sockets)} />
      <Figure name={ops.deliveries} value={waiting(backlog.deliveries)} />
      <Figure name={ops.letters} value={waiting(backlog.letters)} />
      <Figure name={ops.media} value={waiting(backlog.media)} />
      <Figure name={ops.memory} value={`${number(Math.round(process.memoryBytes / MEBIBYTE))} MiB`} />
      <Figure
        name={ops.mediaRoom}
        value={process.mediaFreeBytes === null ? "–" : `${number(Math.floor(process.mediaFreeBytes / MEBIBYTE))} MiB`}
      />
      <Figure name={ops.uptime} value={span(process.uptimeSeconds * 1000)} />
      <Figure name={ops.release} value={release} />
      {certificate && (
        <Figure
          name={ops.certificate}
          value={certificate.endsAt === null ? ops.noCertificate : ops.certificateEnds(moment(certificate.endsAt))}
        />
      )}
    </dl>
  )
}

const Backups = ({ status: { backups } }: Props) => {
  const { ops } = useConsoleTexts()
  const { number, moment } = useFormats()
  const { to, last, nextAt, failure, folder } = backups
  const at = (timestamp: string | null | undefined) => (timestamp == null ? "–" : moment(timestamp))
  const size = (bytes: number | null | undefined) =>
    bytes == null ? "–" : `${number(Math.ceil(bytes / MEBIBYTE))} MiB`
  const row = (place: string, made: typeof last, next: string | null) => ({
    key: place,
    cells: [place, at(made?.at), size(made?.bytes), at(next)],
  })
  return (
    <>
      <Table
        title={ops.backups}
        empty={ops.noBackups}
        heads={[ops.backupPlace, ops.lastBackup, ops.size, ops.nextBackup]}
        rows={[
          ...(to === null && last === null ? [] : [row(to ?? ops.aBucket, last, nextAt)]),
          ...(folder === null ? [] : [row(ops.aFolder, folder, null)]),
        ]}
      />
      <ProblemNotice>{failure && ops.backupFailed(moment(failure.at), failure.problem)}</ProblemNotice>
    </>
  )
}

const Busiest = ({ status: { busiest } }: Props) => {
  const { ops } = useConsoleTexts()
  const { number } = useFormats()
  const within = `${number(busiest.seconds)} s`
  return (
    <>
      <ProblemNotice>{busiest.missing.length === 0 ? null : ops.busyWithout(busiest.missing.join(", "))}</ProblemNotice>
      <Table
        title={ops.busyWorkspaces(within)}
        empty={ops.noneBusy}
        heads={[ops.workspace, ops.requests, ops.commands]}
        rows={busiest.workspaces.map(({ workspaceId, workspaceSlug, requests, commands }) => ({
          key: workspaceId,
          cells: [workspaceSlug, number(requests), number(commands)],
        }))}
      />
      <Table
        title={ops.busyKeys(within)}
        empty={ops.noneBusy}
        heads={[ops.apiKey, ops.workspace, ops.requests]}
        rows={busiest.keys.map(({ keyId, name, workspaceId, requests }) => ({
          key: keyId,
          cells: [`${name} (${keyId})`, workspaceId, number(requests)],
        }))}
      />
      <Table
        title={ops.busyEvents(within)}
        empty={ops.noneBusy}
        heads={[ops.event, ops.workspace, ops.requests, ops.commands]}
        rows={busiest.events.map(({ eventId, title, workspaceId, requests, commands }) => ({
          key: eventId,
          cells: [title, workspaceId, number(requests), number(commands)],
        }))}
      />
    </>
  )
}

export const StatusView = ({ status, platformKey }: Props & { readonly platformKey: string }) => {
  const { ops } = useConsoleTexts()
  const { number, moment } = useFormats()
  const [inspected, inspect] = useState<PlatformStatus["liveEvents"]["newest"][number]>()
  const at = (timestamp: string | null) => (timestamp === null ? "–" : moment(timestamp))
  return (
    <>
      <Figures status={status} />
      <Table
        title={ops.liveEvents}
        empty={ops.noLiveEvents}
        heads={[ops.event, ops.workspace, ops.startedAt, ops.people]}
        rows={status.liveEvents.newest.map(({ id, title, workspaceSlug, startedAt, people }) => ({
          key: id,
          cells: [title, workspaceSlug, at(startedAt), number(people)],
        }))}
        action={{
          label: ops.inspect,
          onPress: (key) => inspect(status.liveEvents.newest.find(({ id }) => id === key)),
        }}
      />
      {inspected && <EventChart event={inspected} platformKey={platformKey} onClose={() => inspect(undefined)} />}
      <Table
        title={ops.shares}
        empty={ops.noShares}
        heads={[ops.workspace, ops.uploads, ops.encoders, ops.jobsWaiting, ops.jobTime, ops.stored]}
        rows={status.shares.map((one) => ({
          key: one.workspaceId,
          cells: [
            one.workspaceSlug,
            number(one.uploads),
            number(one.encoders),
            number(one.jobsWaiting),
            `${number(one.jobSeconds)} s`,
            `${number(Math.ceil(one.bytes / MEBIBYTE))} MiB`,
          ],
        }))}
      />
      <Backups status={status} />
      <Busiest status={status} />
      <Table
        title={ops.failingWebhooks}
        empty={ops.noFailingWebhooks}
        heads={[ops.address, ops.workspace, ops.state, ops.lastFailure]}
        rows={status.failingWebhooks.map(({ id, origin, workspaceId, status: state, lastFailureAt }) => ({
          key: id,
          cells: [origin, workspaceId, ops.webhookStates[state], at(lastFailureAt)],
        }))}
      />
      <Table
        title={ops.nodes}
        empty={ops.oneProcess}
        heads={[ops.address, ops.node, ops.state]}
        rows={status.nodes.map(({ address, node, isLiving }) => ({
          key: address,
          cells: [address, node, isLiving ? ops.living : ops.gone],
        }))}
      />
    </>
  )
}
