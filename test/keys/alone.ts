import type { Workload } from '../../tools/src/lab/keys/workloads.js';

const ALONE_MS = 300_000;

/** The quiet keys of a workload, without the noise. */
export function alone({ quiet, seconds }: Workload): Workload {
  return { seconds, noise: [], quiet: quiet.filter(({ at }) => at < ALONE_MS) };
}
