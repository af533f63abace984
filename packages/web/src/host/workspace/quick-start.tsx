/** Templates as cards: one press makes an event as a draft, with its agenda, and opens it. */
import { Building2, GraduationCap, type LucideIcon, Presentation, Shuffle, Users } from "lucide-react"
import { useLocation } from "wouter"
import { useAction } from "../../api/use-action.ts"
import { restOf } from "../../api/workspace-rest.ts"
import { useConsoleTexts } from "../../texts/language.tsx"
import { Button } from "../../ui/button.tsx"
import { inputOf } from "../event/phase-draft.ts"
import { agendaOf, TEMPLATE_NAMES, type TemplateName } from "../event/templates.ts"
import { FailureNotice } from "../parts/failure.tsx"

const ICONS: { readonly [name in TemplateName]: LucideIcon } = {
  webinar: Presentation,
  meeting: Users,
  workshop: GraduationCap,
  networking: Shuffle,
  townHall: Building2,
}

export const QuickStart = ({ workspaceId }: { readonly workspaceId: string }) => {
  const { host } = useConsoleTexts()
  const [, navigate] = useLocation()
  const { run, isPending, error } = useAction(async (name: TemplateName) => {
    const payload = { title: host.templates[name].name, type: name, phases: agendaOf(name).map(inputOf) }
    const { id } = await restOf(workspaceId).createEvent({ payload })
    navigate(`/event/${id}`)
  })
  return (
    <>
      <ul className="template-cards" aria-label={host.startWith}>
        {TEMPLATE_NAMES.map((name) => {
          const Icon = ICONS[name]
          return (
            <li key={name}>
              <Button isDisabled={isPending} onPress={() => void run(name)}>
                <Icon />
                <span>
                  <strong>{host.templates[name].name}</strong>{" "}
                  <span className="quiet">{host.templates[name].hint}</span>
                </span>
              </Button>
            </li>
          )
        })}
      </ul>
      <FailureNotice error={error} />
    </>
  )
}
