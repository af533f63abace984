/**
 * The one rule for what a participant holds at an event: a raised hand and its place in the queue, a seat in a room or a round, an
 * invitation, a place on stage, an admission, a place in the waiting room or in a call, the wait of slow mode, votes, a stay. Neither a lost
 * connection nor a crash nor a move of the event takes any of it away. A participant who returns within this time has not been away, and
 * nobody is notified. One who does not has departed: only then are the things released that others wait for, and others told.
 *
 * The time counts from the loss of the last connection. An event that is activated anew counts from then on, since nobody knows who was
 * there. Presence has a grace of its own: `participant.left` may come earlier (specification §6), and releases nothing. What a host or the
 * participant does is no loss, and takes effect at once: who sends `leave` on their last connection has departed. A page that closes its
 * socket has not, because it does the same when it is loaded again.
 */

/** As long as a client's longest wait before it tries again. */
export const RETURN_WITHIN_MS = 30_000
