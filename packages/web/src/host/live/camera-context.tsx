/** Push of this browser's camera. It continues while the host views other parts of the console, and ends with the console. */
import { createContext, useContext } from "react"
import { type Sending, useCameraPush } from "../../live/stage/use-camera-push.ts"
import type { ClientProps } from "./live-props.ts"

const Camera = createContext<Sending | undefined>(undefined)

export const CameraProvider = ({ client, children }: ClientProps & { readonly children: React.ReactNode }) => (
  <Camera value={useCameraPush(client)}>{children}</Camera>
)

export const useCamera = (): Sending => {
  const camera = useContext(Camera)
  if (camera === undefined) throw new Error("a component is outside of CameraProvider")
  return camera
}
