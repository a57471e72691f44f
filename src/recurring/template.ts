import { createHash } from 'node:crypto';
import { type BacklogRecord, CANCELLED } from '../record/index.js';
import type { RecordStore } from '../store/index.js';
import { parseIso } from '../support/clock.js';
import { NOT_IN_TEMPLATE, scheduleId } from './names.js';

/** The definitions of a CDK app by name, as its function's environment has them. */
export type Template = ReadonlyMap<string, unknown>;

/** A recurring record of the CDK app that is not in the table as it is there. */
export interface Outdated {
  readonly name: string;
  readonly definition: unknown;
  readonly fingerprint: string;
  /** The schedule as it is. Undefined: there is none. */
  readonly record: BacklogRecord | undefined;
}

/**
 * Tells whether a later deployment has written the definition than the one that a sandbox has. While two deployments overlap, the
 * earlier one leaves it alone.
 *
 * @param startedAt the start of the sandbox, epoch milliseconds
 */
export function isOfLaterDeployment(payload: unknown, startedAt: number): boolean {
  if (typeof payload !== 'object' || payload === null || !('templateAt' in payload)) return false;
  return Date.parse(parseIso(payload.templateAt) ?? '') > startedAt;
}

/**
 * The recurring records of the CDK app that are new, or whose definition there has changed. One that was changed by hand, paused or
 * discarded stays so until then, as CloudFormation leaves a resource alone that its template does not change.
 *
 * @param startedAt the start of the sandbox, epoch milliseconds
 * @throws StoreError
 */
export async function outdatedOf(
  template: Template,
  records: Pick<RecordStore, 'getMany'>,
  startedAt: number,
): Promise<readonly Outdated[]> {
  if (template.size === 0) return [];
  const found = new Map(
    (await records.getMany([...template.keys()].map(scheduleId))).map((record) => [record.id, record]),
  );
  return [...template].flatMap(([name, definition]): Outdated[] => {
    const record = found.get(scheduleId(name));
    const fingerprint = fingerprintOf(definition);
    const isLeft = isUpToDate(record, fingerprint) || isOfLaterDeployment(record?.payload, startedAt);
    return isLeft ? [] : [{ name, definition, fingerprint, record }];
  });
}

function isUpToDate(record: BacklogRecord | undefined, fingerprint: string): boolean {
  if (!record || wasTakenOut(record)) return false;
  const { payload } = record;
  return (
    typeof payload === 'object' &&
    payload !== null &&
    'template' in payload &&
    payload.template === fingerprint
  );
}

/** Tells whether it is dead as an earlier template did not have it. */
export function wasTakenOut({ status, deadReason }: BacklogRecord): boolean {
  return status === 'DEAD' && deadReason === CANCELLED + NOT_IN_TEMPLATE;
}

/** Tells definitions of the template apart. */
export function fingerprintOf(definition: unknown): string {
  return createHash('sha256').update(JSON.stringify(definition)).digest('base64url').slice(0, 22);
}
