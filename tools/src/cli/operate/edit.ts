import { readFileSync } from 'node:fs';
import { type BacklogRecord, ConfigurationError } from 'dynamo-backlog';
import { isPlainObject, jsonOf, mergeInto, show } from 'dynamo-backlog/engine';
import { shortened } from 'dynamo-backlog/overview';
import { visibleJson } from '../../console/visible-json.js';
import { type DiffLine, diffLines, nearby } from '../../diff-lines.js';
import { shownPayload } from '../../shown-payload.js';
import { parseExactly } from '../exact-json.js';
import { hasColors, printable } from '../output.js';
import { type Paint, painter } from '../paint.js';
import { loadRedact } from '../redact-module.js';
import type { ActFlags, CliAction } from './act.js';

export interface EditFlags extends ActFlags {
  readonly payload?: string | undefined;
  readonly merge?: string | undefined;
  readonly redrive?: boolean | undefined;
  readonly redact?: string | undefined;
}

const SIGNS: Readonly<Record<DiffLine['kind'], string>> = { same: ' ', removed: '-', added: '+' };
const COLORS = { same: 'dim', removed: 'red', added: 'green' } as const;
/** More of one record fill the screen. */
const MAX_LINES = 60;
const MAX_CHARACTERS = 400;

/**
 * `backlog edit`: what it does to each record, and the lines of its payload that change.
 *
 * @throws ConfigurationError for flags that contradict each other, what is no JSON, and a merge patch that is no object
 */
export async function editAction(flags: EditFlags): Promise<CliAction> {
  const { payload, merge, redrive = false } = flags;
  if ((payload === undefined) === (merge === undefined)) {
    throw new ConfigurationError('expected either --payload or --merge');
  }
  const redact = await loadRedact(flags.redact);
  const edit =
    payload === undefined ? { merge: patch(merge ?? '') } : { payload: jsonInput(payload, '--payload') };
  return {
    verbs: { ask: 'Edit', done: 'edited' },
    alwaysAsks: true,
    action: 'editPayload',
    options: { ...edit, redrive },
    preview: (record) => {
      const after = 'payload' in edit ? edit : mergeInto(record.payload, edit.merge);
      if ('refused' in after) return [after.refused];
      const [old, fresh] = [record, { ...record, payload: after.payload }].map((one: BacklogRecord) => {
        const shown = shownPayload(one, redact);
        return shown.hidden ?? visibleJson(jsonOf(shown.value));
      });
      return diffText(old ?? '', fresh ?? '', painter(hasColors(process.stderr)));
    },
  };
}

function diffText(before: string, after: string, paint: Paint): string[] {
  const lines = diffLines(before, after);
  if (lines.every(({ kind }) => kind === 'same')) return ['nothing that is shown of it changes'];
  const shown = nearby(lines).map((line) =>
    line === undefined
      ? paint('dim', '…')
      : paint(COLORS[line.kind], `${SIGNS[line.kind]} ${printable(shortened(line.text, MAX_CHARACTERS))}`),
  );
  const left = shown.length - MAX_LINES;
  return left > 0 ? [...shown.slice(0, MAX_LINES), paint('dim', `… ${left} more lines`)] : shown;
}

function patch(text: string): Readonly<Record<string, unknown>> {
  const value = jsonInput(text, '--merge');
  if (isPlainObject(value)) return value;
  throw new ConfigurationError(
    `--merge: expected a JSON object with what is new, got ${show(value)}; --payload replaces a payload by any value`,
  );
}

/** The value of a flag: JSON, or `@FILE` with it. @throws ConfigurationError that names the flag */
export function jsonInput(text: string, flag: string): unknown {
  try {
    return parseExactly(text.startsWith('@') ? readFileSync(text.slice(1), 'utf8') : text);
  } catch (error) {
    const { message } = error as Error;
    throw new ConfigurationError(`${flag}: expected JSON, or @FILE with it: ${message}`, { cause: error });
  }
}
