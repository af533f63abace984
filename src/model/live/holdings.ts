/**
 * The one rule for what a participant holds at an event: a raised hand and its position in the queue, a seat in a room or a round, an
 * invitation, a seat on stage, an admission, a place in the waiting room or in a call, the wait of slow mode, votes, a stay. Neither a lost
 * connection nor a crash nor a move of the event takes any of it away. A participant who returns within this time has not been away, and
 * nobody is notified. One who does not has departed: only then are the things released for which others wait, and others are notified.
 *
 * The time counts from the loss of the last connection. If an event is activated anew, the time counts from the activation, since nobody
 * knows who was there. Presence has a separate grace period: `participant.left` may come earlier, and releases nothing.
 * Actions of a host or of the participant are not a loss, and take effect at once: a participant who sends `leave` on their last connection
 * has departed. A page that closes its socket has not, because it does the same on a reload.
 */

/** Equal to a client's longest wait before a reconnect. */
export const RETURN_WITHIN_MS = 30_000
