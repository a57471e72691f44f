import type { TableFacts } from '../../../../src/store/dynamodb/inspect.js';
import { shapeProblems } from '../table-shape.js';
import type { Finding } from './findings.js';

export interface TableSettings {
  readonly facts: TableFacts;
  /** `null`: items do not expire. `undefined`: not known, or not looked at. */
  readonly expiresBy?: string | null | undefined;
  readonly pointInTimeRecovery?: boolean | undefined;
  /** An emulator has no streams of its own, and the local runtime needs none. */
  readonly local: boolean;
}

/** Returns what is wrong with a table, as its description and settings say. */
export function checkTable({ facts, expiresBy, pointInTimeRecovery, local }: TableSettings): Finding[] {
  const shape = shapeProblems(facts).map(({ kind, what, todo }): Finding => {
    return { kind: `table.${kind}`, severity: kind === 'indexNotReady' ? 'warning' : 'error', what, todo };
  });
  const warning = (kind: string, what: string, todo: string): Finding => {
    return { kind: `table.${kind}`, severity: 'warning', what, todo };
  };
  const note = (kind: string, what: string, todo: string): Finding => {
    return { kind: `table.${kind}`, severity: 'note', what, todo };
  };
  const projection = facts.dueIndex?.projection ?? 'KEYS_ONLY';
  const settings = [
    projection !== 'KEYS_ONLY'
      ? warning(
          'projection',
          `its index "due" holds more than the keys (${projection})`,
          'nothing reads the rest, and each change of it is billed: delete that index and create it again with KEYS_ONLY',
        )
      : undefined,
    expiresBy !== undefined && expiresBy !== 'expiresAt'
      ? warning(
          'expiry',
          expiresBy === null ? 'items do not expire' : `items expire by "${expiresBy}"`,
          'turn TTL on, on the attribute "expiresAt": otherwise records stay for ever after their success',
        )
      : undefined,
    !local && !hasNewImages(facts)
      ? warning(
          'stream',
          facts.stream === undefined
            ? 'the table has no stream'
            : `its stream shows ${facts.stream.viewType} only`,
          'turn a stream of new images on, and name it to the construct: otherwise no intake picks up what is put without "lane"',
        )
      : undefined,
    pointInTimeRecovery === false
      ? warning(
          'backups',
          'point-in-time recovery is off',
          'turn it on: a mistake cannot be undone without it',
        )
      : undefined,
    !local && facts.deletionProtection === false
      ? note(
          'protection',
          'deletion protection is off',
          'turn it on, unless the table is to go: one request can delete it now, with all records',
        )
      : undefined,
  ];
  return [...shape, ...settings.filter((finding) => finding !== undefined)];
}

/** Tells whether the table's stream has new images, which an intake needs. */
export function hasNewImages({ stream }: TableFacts): boolean {
  return stream?.viewType.startsWith('NEW') === true;
}
