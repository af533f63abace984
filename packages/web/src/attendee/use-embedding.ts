/** Reports the phase to the embedding page while this person is inside. */
import { activePhase, type GatewayClient } from "@gathercue/client"
import { useEvent } from "@gathercue/client/react"
import { useEffect } from "react"
import { tellEmbedder } from "./embedding.ts"

export const useEmbedding = (client: GatewayClient, eventId: string): void => {
  const isKnown = useEvent(client, () => true) ?? false
  const id = useEvent(client, (state) => activePhase(state)?.id)
  const modality = useEvent(client, (state) => activePhase(state)?.modality)
  useEffect(() => {
    if (!isKnown) return
    const phase = id === undefined || modality === undefined ? null : { id, modality }
    tellEmbedder({ type: "gathercue.phase", eventId, phase })
  }, [isKnown, id, modality, eventId])
}
