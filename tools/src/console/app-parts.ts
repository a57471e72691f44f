import type { CountsReader } from 'dynamo-backlog/overview';
import type { Context } from 'hono';
import type { JobRunner } from '../jobs/runner.js';
import type { ConsoleDeps } from './deps.js';
import type { FlashNotes } from './flash.js';
import type { PageContext } from './layout.js';
import type { LineLooks } from './lines/line-looks.js';
import type { FormGuard } from './security.js';

/** The parts that the routes of a console share. */
export interface Routes {
  readonly deps: ConsoleDeps;
  readonly guard: FormGuard;
  readonly notes: FlashNotes;
  readonly reader: CountsReader;
  readonly lines: LineLooks;
  readonly runner: JobRunner;
  /** Makes the context of a page for a request. */
  readonly contextOf: (request: Context) => PageContext;
}
