/** Messages between the workers of one machine and their supervisor, over the channel that Node gives to a child process. */

/** From a worker. */
export type WorkerMessage =
  /** Requests are answered from now on. */
  | { readonly type: "ready"; readonly database: string }
  | { readonly type: "publish"; readonly subject: string; readonly text: string }
  | { readonly type: "subscribe"; readonly subject: string }
  | { readonly type: "unsubscribe"; readonly subject: string }

/** To a worker. */
export type SupervisorMessage =
  | { readonly type: "message"; readonly subject: string; readonly text: string }
  /** Messages were dropped, because the worker did not take them in time. */
  | { readonly type: "reset" }
