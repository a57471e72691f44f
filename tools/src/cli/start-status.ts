import { resolve } from 'node:path';
import { withoutUrlSecrets } from 'dynamo-backlog/engine';
import type { RuntimeOptions } from '../local/runtime-options.js';
import { NO_RUNS, type RuntimeStatus } from '../local/status/status.js';

const OWN_APP = "this package's own CDK app";

/** Settings from the flags, which are known before the runtime has started. */
export type KnownAtStart = Pick<RuntimeOptions, 'app' | 'dataDir' | 'deliverTo'> & {
  readonly sample: boolean;
  readonly speed: number;
};

/** Status that is known at the start: what comes later has its line already. */
export function statusAtStart({ app, dataDir, deliverTo, sample, speed }: KnownAtStart): RuntimeStatus {
  const now = new Date().toISOString();
  const erp = { up: true, taken: 0, making: 0, rejected: 0, unavailable: 0 };
  return {
    startedAt: now,
    now,
    speed,
    paused: false,
    endpoint: '',
    statusPage: '',
    app: app === undefined ? OWN_APP : withoutUrlSecrets(app),
    ...(dataDir === undefined ? {} : { dataDir: resolve(dataDir) }),
    logs: '',
    tables: [],
    ...(deliverTo === undefined ? {} : { deliverTo: withoutUrlSecrets(deliverTo) }),
    queues: [],
    countsBehind: false,
    rules: [],
    runs: [],
    running: [],
    errors: [],
    notices: [],
    totals: NO_RUNS,
    ...(sample ? { sample: { inserted: 0, ...(deliverTo === undefined ? { erp } : {}) } } : {}),
  };
}
