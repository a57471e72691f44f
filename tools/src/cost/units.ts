/**
 * DynamoDB's units of each step. `table` counts once for each KB of the item, `index` and `control` do not depend on it. A test
 * on DynamoDB Local measures them.
 */
export const WRITES = {
  /** A producer puts a record. */
  insert: { table: 1, index: 0 },
  /** An attempt on insertion succeeds. */
  successOnArrival: { table: 1, index: 0 },
  /** An attempt on insertion fails: the record enters the index. */
  failureOnArrival: { table: 1, index: 1 },
  /** A later attempt succeeds: the record leaves the index. */
  laterSuccess: { table: 1, index: 1 },
  /** A later attempt fails by a policy per record: its entry moves. */
  laterFailure: { table: 1, index: 2 },
  /** A later attempt fails on the progressive schedule: its entry stays. */
  laterFailureProgressive: { table: 1, index: 0 },
} as const;

/** Write units of the control table for a batch that is attempted on insertion. */
export const CLAIM_UNITS = 2;
/** Write units of the control table for a run that finds up to 100 records that are due. */
export const LEASE_UNITS = 2;
/** Read units of a poll that finds nothing. */
export const POLL_READ_UNITS = 0.5;
/** The monitor, for each queue and reading. */
export const MONITOR = { reads: 2.5, writes: 1 } as const;
/** Records of a page, and of a batch of the stream. */
export const PAGE = 100;
