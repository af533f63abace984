/** Way to create an account, or a text that there is none here. */
import type { ReactNode } from "react"
import { useConsoleTexts } from "../../texts/language.tsx"
import { useEntryWays } from "./entry-ways.ts"

export const SignUpWay = ({ children }: { readonly children: ReactNode }) => {
  const { host } = useConsoleTexts()
  const signup = useEntryWays()?.signup ?? "open"
  return signup === "open" ? children : <p>{signup === "off" ? host.signUpOff : host.signUpInvited}</p>
}
