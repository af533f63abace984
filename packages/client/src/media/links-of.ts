/** The connections that a call needs: to the other browsers, or to its media server. */
import type { PeerList } from "./call-rules.ts"
import type { CallLinks, LinksNeeds, MediaView } from "./links.ts"
import { MeshLinks } from "./mesh-links.ts"
import { ServedLinks } from "./served-links.ts"

export const linksOf = (list: PeerList, needs: LinksNeeds, views: ReadonlyArray<MediaView>): CallLinks => {
  if (list.server === undefined) return new MeshLinks(needs)
  const links = new ServedLinks(list, needs)
  links.show(views)
  return links
}
