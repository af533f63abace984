/** Announcements that staff prepared for later, the oldest first. */
import type { PreparedAnnouncementView } from "../contract/types.ts"
import type { NewsOf } from "./news.ts"

export type PreparedAnnouncements = ReadonlyArray<PreparedAnnouncementView>

export const announcementsAfter = (
  prepared: PreparedAnnouncements,
  { t, d }: NewsOf<"announcements">,
): PreparedAnnouncements => {
  switch (t) {
    case "announcement.prepared":
      return [...prepared, d.prepared]
    case "announcement.discarded":
      return prepared.filter(({ id }) => id !== d.id)
  }
}
