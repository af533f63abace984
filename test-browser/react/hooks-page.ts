/** The module of the page in which the hooks are tested: real React, and components that record what they show. */
import { createElement, StrictMode, useEffect } from "react"
import { createRoot } from "react-dom/client"
import * as client from "../../packages/client/src/entry.ts"
import * as hooks from "../../packages/client/src/react-entry.ts"

interface Probe {
  /** What the hook returned at each commit, the first one twice in StrictMode. */
  readonly seen: unknown[]
  readonly unmount: () => void
  /** Renders again, with what the hook closes over as it is now. */
  readonly render: () => void
}

interface Recorded {
  readonly read: () => unknown
  readonly seen: unknown[]
}

const Recorder = ({ read, seen }: Recorded): null => {
  const value = read()
  useEffect(() => {
    seen.push(value)
  })
  return null
}

/** Mounts a component that calls the hook. */
const probe = (read: () => unknown, isStrict = false): Probe => {
  const seen: unknown[] = []
  const root = createRoot(document.body.appendChild(document.createElement("div")))
  const render = () => {
    const recorder = createElement(Recorder, { read, seen })
    root.render(isStrict ? createElement(StrictMode, null, recorder) : recorder)
  }
  render()
  return { seen, render, unmount: () => root.unmount() }
}

/** Asks for tokens as a person with a session, or without one as a viewer. */
const tokens = (baseUrl: string, eventId: string, session?: string) => {
  const api = client.makeRestClient({ baseUrl, ...(session === undefined ? {} : { sessionToken: session }) })
  return () => api.createGatewayToken({ payload: { eventId } })
}

const kit = { ...client, ...hooks, probe, tokens }

declare global {
  interface Window {
    kit: typeof kit
    live: client.GatewayClient
    probe: Probe
    sender: hooks.CommandSender
    heard: string[]
    /** What a clock of tests has left, milliseconds; the last one stays. */
    left: number[]
  }
}

window.kit = kit
