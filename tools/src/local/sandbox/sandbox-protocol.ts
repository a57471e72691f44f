/** Message by which the runtime sends an event to a sandbox. */
export interface Invoke {
  readonly type: 'invoke';
  readonly requestId: string;
  readonly event: unknown;
  /** Real time, epoch milliseconds. */
  readonly deadline: number;
}

/** The clock that the functions follow from now on. The sandbox answers once it is set. */
export interface SetClock {
  readonly type: 'setClock';
  readonly requestId: string;
  /** New value of the variable `BACKLOG_CLOCK`. */
  readonly clock: string;
}

export type Answer =
  /** The handler has been imported, or cannot be. */
  | { readonly type: 'loaded'; readonly requestId: '' }
  | { readonly type: 'clockSet'; readonly requestId: string }
  | { readonly type: 'result'; readonly requestId: string; readonly value: unknown }
  | {
      readonly type: 'error';
      readonly requestId: string;
      readonly name: string;
      readonly message: string;
      readonly stack?: string | undefined;
    };

/** The clock of the functions. A message changes it. */
export const SANDBOX_CLOCK = 'BACKLOG_CLOCK';
/** Variables that tell a sandbox what to run. */
export const SANDBOX_HANDLER = 'BACKLOG_SANDBOX_HANDLER';
/** The port of its debugger. */
export const SANDBOX_DEBUGGER = 'BACKLOG_SANDBOX_DEBUGGER';
export const SANDBOX_FOLDER = 'BACKLOG_SANDBOX_FOLDER';
