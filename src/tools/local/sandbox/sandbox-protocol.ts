/** What the runtime and a sandbox tell each other. */
export interface Invoke {
  readonly type: 'invoke';
  readonly requestId: string;
  readonly event: unknown;
  /** Real time, epoch milliseconds. */
  readonly deadline: number;
}

export type Answer =
  | { readonly type: 'result'; readonly requestId: string; readonly value: unknown }
  | {
      readonly type: 'error';
      readonly requestId: string;
      readonly name: string;
      readonly message: string;
      readonly stack?: string | undefined;
    };

/** Variables that tell a sandbox what to run. */
export const SANDBOX_HANDLER = 'BACKLOG_SANDBOX_HANDLER';
export const SANDBOX_FOLDER = 'BACKLOG_SANDBOX_FOLDER';
