/** Shown before a call: nobody is heard or seen without having pressed a button. */
import { useTexts } from "../../texts/language.tsx"
import { Button } from "../../ui/button.tsx"
import { ProblemNotice } from "../../ui/notice.tsx"

interface Props {
  readonly problem: string | null
  readonly onJoin: (hasDevices: boolean) => void
}

export const JoinCall = ({ problem, onJoin }: Props) => {
  const { live } = useTexts()
  return (
    <>
      <p>{live.callOffer}</p>
      <ProblemNotice>{problem}</ProblemNotice>
      <div className="row">
        <Button look="main" onPress={() => onJoin(true)}>
          {live.joinCall}
        </Button>
        <Button onPress={() => onJoin(false)}>{live.onlyListen}</Button>
      </div>
    </>
  )
}
