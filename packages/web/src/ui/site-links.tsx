/** Links from one entry page of this server to the others, and the choice of language. */
import { useTexts } from "../texts/language.tsx"
import { LanguageChoice } from "./language-choice.tsx"

/** `to` is the other entry page. */
export const SiteLinks = ({ to }: { readonly to: "/" | "/host" }) => {
  const { site } = useTexts()
  return (
    <footer className="page page-narrow stack">
      <nav className="row" aria-label={site.links}>
        <a href={to}>{to === "/" ? site.join : site.host}</a>
        <a href="/docs">{site.docs}</a>
        <a href="/v1/docs">{site.reference}</a>
      </nav>
      <div className="row">
        <LanguageChoice />
      </div>
    </footer>
  )
}
