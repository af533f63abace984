/** Why a request or a command failed. */
import { useTexts } from "../../texts/language.tsx"
import { whyFailed } from "../../texts/words.ts"
import { Problem } from "../../ui/notice.tsx"
import { changeMeanwhile } from "./change-meanwhile.ts"

export const Failure = ({ error }: { readonly error: unknown }) => {
  const texts = useTexts()
  return <Problem>{changeMeanwhile(texts, error) ?? whyFailed(texts, error)}</Problem>
}
