/** Messages between the workers of one machine and their supervisor, over the channel that Node provides for a child process. */

/** Messages from a worker. */
export type WorkerMessage =
  /** The worker answers requests from now on. */
  | { readonly type: "ready"; readonly database: string }
  | { readonly type: "publish"; readonly subject: string; readonly text: string }
  | { readonly type: "subscribe"; readonly subject: string }
  | { readonly type: "unsubscribe"; readonly subject: string }

/** Messages to a worker. */
export type SupervisorMessage =
  | { readonly type: "message"; readonly subject: string; readonly text: string }
  /** Messages were dropped because the worker did not take them in time. */
  | { readonly type: "reset" }
