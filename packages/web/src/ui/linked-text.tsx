/** Plain text whose web addresses are links. Nothing else in it is read as markup. */
import { Fragment } from "react"

/** An address does not end in a mark of punctuation, nor in a bracket that was opened before it. */
const ADDRESS = /(https?:\/\/[^\s<>"']*[^\s<>"'.,;:!?()[\]{}])/

const isAddress = (part: string): boolean => URL.canParse(part)

/** `split` puts the addresses at the odd places. */
export const LinkedText = ({ text }: { readonly text: string }) =>
  text.split(ADDRESS).map((part, place) =>
    place % 2 === 1 && isAddress(part) ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other identity.
      <a key={place} href={part} target="_blank" rel="noopener noreferrer nofollow">
        {part}
      </a>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other identity.
      <Fragment key={place}>{part}</Fragment>
    ),
  )
