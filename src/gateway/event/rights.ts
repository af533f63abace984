/** Applies changes of participants' rights at an event to their connections and calls, and tells connections of their role. */
import type { EventAccess } from "../../model/grants.ts"
import type { EventRole } from "../../model/roles.ts"
import { CLOSE } from "../../protocol/wire/close-codes.ts"
import type { Delivery } from "../broadcast/delivery.ts"
import type { Connection } from "../connection/connection.ts"
import { RoleChecks } from "../grants/role-checks.ts"
import type { EventSubscriber, SubscriberEvent } from "../recovery/event-subscriber.ts"
import type { MediaSeats } from "../rtc/media-seats.ts"
import { MeshCalls } from "../rtc/mesh-calls.ts"
import type { GatewayServices } from "../services.ts"
import type { Attendance } from "./attendance.ts"
import { MembershipSync } from "./membership-sync.ts"
import { Namesakes } from "./namesakes.ts"
import { RoleNotifier } from "./role-notifier.ts"

interface Needs {
  readonly attendance: Attendance
  readonly subscriber: EventSubscriber
  readonly delivery: Delivery
  readonly media: MediaSeats
}

type RightsChange = Extract<
  SubscriberEvent,
  {
    readonly type:
      | "participantChanged"
      | "participantsRead"
      | "lobbyChanged"
      | "permissionsChanged"
      | "removed"
      | "hidden"
  }
>

export class Rights {
  readonly membership: MembershipSync
  readonly mesh: MeshCalls
  readonly #namesakes: Namesakes
  readonly #notifier: RoleNotifier
  readonly #checks: RoleChecks
  readonly #subscriber: EventSubscriber

  constructor(services: GatewayServices, eventId: string, { attendance, subscriber, delivery, media }: Needs) {
    const { timers, roomGuard } = services
    const { participants } = attendance
    this.#subscriber = subscriber
    this.mesh = new MeshCalls(services, eventId, subscriber)
    this.#notifier = new RoleNotifier({ timers, eventId, participants, media, subscriber, delivery })
    this.membership = new MembershipSync(attendance, { subscriber, delivery, roles: this.#notifier, roomGuard })
    this.#namesakes = new Namesakes(services, eventId, (id) => this.membership.closeNamesake(eventId, id))
    this.#checks = new RoleChecks(services, eventId)
  }

  follow(event: RightsChange): void {
    switch (event.type) {
      case "participantChanged":
        this.membership.follow(event.change)
        this.#namesakes.follow(event.change)
        this.mesh.review(event.change.participantId)
        break
      case "participantsRead":
        this.membership.followAll()
        this.#namesakes.followAll()
        this.mesh.reviewAll()
        break
      case "lobbyChanged":
        this.membership.reevaluate()
        this.mesh.reviewAll()
        break
      case "permissionsChanged":
        this.mesh.reviewAll()
        this.#notifier.notifyAll()
        break
      case "removed":
        this.mesh.remove(event.participantId)
        this.membership.closeAll(event.participantId, CLOSE.removed)
        break
      case "hidden":
        this.membership.closeAnonymous()
        break
    }
  }

  /** Applies a new token: another role may have other streams. */
  renew(connection: Connection, identity: Connection["identity"]): void {
    this.membership.renew(connection, identity, "token")
    this.mesh.review(identity.participantId)
  }

  /** Applies the user's access to the event and their role in the workspace's list, which have just been read. */
  roleRead(connection: Connection, access: EventAccess, stored: EventRole | null): void {
    this.membership.renew(connection, { ...connection.identity, ...access }, "role")
    this.mesh.review(connection.identity.participantId)
    const given = this.#subscriber.participants.givenRole(connection.identity.participantId)
    this.#checks.look(connection, given, stored)
  }

  stop(): void {
    this.mesh.stop()
    this.#notifier.stop()
    this.#namesakes.stop()
  }
}
