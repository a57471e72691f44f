import { type Making, WORKLOADS, type Workload } from '../../tools/src/lab/keys/workloads.js';

/** The workloads by their numbers, which are shorter than the names that users know. */
export const BY_NUMBER: Readonly<Record<string, (making: Making) => Workload>> = {
  W1: WORKLOADS['one-noisy'].make,
  W2: WORKLOADS['many-noisy'].make,
  W3: WORKLOADS.zipf.make,
  W4: WORKLOADS['one-hangs'].make,
  W5: WORKLOADS['large-and-small'].make,
  W7: WORKLOADS.unequal.make,
  W8: WORKLOADS['one-hangs-steadily'].make,
  W9: WORKLOADS['one-slow-steadily'].make,
};
