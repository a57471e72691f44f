import type { Command } from 'commander';
import { DynamoDbStore } from 'dynamo-backlog/engine';
import { callOutsideEnd, type OutsideEndCall, outsideEndText } from '../../outside-end.js';
import { outsideWaitText } from '../../outside-wait.js';
import { examples } from '../command-parts.js';
import { flags } from '../flags.js';
import { EXIT, type ExitCode, type Output, printable } from '../output.js';
import { jsonInput } from './edit.js';
import { endsWith } from './end.js';
import { type OperateTargetFlags, operatorAt, target } from './target.js';
import { usage } from './usage.js';

interface EndFlags extends OperateTargetFlags {
  readonly token?: string | undefined;
  readonly json?: boolean | undefined;
}

const TOKEN = [
  '--token <token>',
  'of the attempt that is meant (default: that with which the record waits now)',
] as const;

/** Adds the commands that end the wait of one record for its end from outside, or prolong it. */
export function addOutsideEnds(program: Command, output: Output, onExit: (code: ExitCode) => void): void {
  const end = endsWith(onExit);
  const add = (name: string, describe: string, samples: readonly (readonly [string, string])[]) =>
    target(program.command(name))
      .description(describe)
      .argument('<id>', 'of the record')
      .option(...TOKEN)
      .option('--json', 'the result for programs')
      .addHelpText('after', examples(...samples));

  const complete = add(
    'complete',
    'Complete a record that waits for its end from outside: it has succeeded.',
    [
      ['backlog complete order-7', ''],
      [`backlog complete order-7 --result '{"by":"finance"}'`, 'with a result, which the record keeps'],
    ],
  ).option('--result <json>', 'the result, up to 1,024 bytes; @FILE reads it from a file');
  complete.action((id: string, given: EndFlags & { result?: string }) =>
    end(complete, () => {
      const ask = () => {
        const { token, result } = given;
        const options = { token, ...(result === undefined ? {} : { result: jsonInput(result, '--result') }) };
        return { do: 'complete', options } as const;
      };
      return endRecord(id, given, ask, output);
    }),
  );

  const fail = add(
    'fail',
    'Fail the attempt of a record that waits for its end from outside. Its policy says when it is attempted again.',
    [['backlog fail order-7 --error "not approved"', '']],
  ).requiredOption('--error <text>', 'the message of the failure, kept on the record');
  fail.action((id: string, given: EndFlags & { error: string }) =>
    end(fail, () => {
      const { token, error } = given;
      return endRecord(id, given, () => ({ do: 'fail', options: { token, error } }), output);
    }),
  );

  const heartbeat = add('heartbeat', 'Prolong the wait of a record for its end from outside.', [
    ['backlog heartbeat order-7', 'by the timeout of its attempt, from now on'],
    ['backlog heartbeat order-7 --timeout 2h', ''],
  ]).option(
    '--timeout <duration>',
    'the longest wait from now, such as 2h (default: that of its attempt)',
    flags.retained,
  );
  heartbeat.action((id: string, given: EndFlags & { timeout?: number }) =>
    end(heartbeat, () => {
      const { token, timeout } = given;
      return endRecord(id, given, () => ({ do: 'heartbeat', options: { token, timeout } }), output);
    }),
  );
}

async function endRecord(
  id: string,
  given: EndFlags,
  ask: () => OutsideEndCall,
  output: Output,
): Promise<ExitCode> {
  const wanted = await usage(async () => ask());
  const { operator, target: found, controlTable } = await operatorAt(given);
  const { client, table, clock, where } = found;
  try {
    const result = await usage(() => callOutsideEnd(operator, id, wanted));
    const code = result.accepted ? EXIT.ok : EXIT.problems;
    if (given.json) {
      output.data(JSON.stringify(result));
      return code;
    }
    output.data(`${printable(id)}: ${outsideEndText(wanted.do, result)}`);
    if (wanted.do === 'heartbeat' && result.accepted) {
      const store = new DynamoDbStore({ client, tables: { records: table, control: controlTable }, clock });
      const record = await store.records.get(id);
      const text = record && outsideWaitText(record, clock.now());
      if (text !== undefined) output.message(`waits ${printable(text)}`);
    }
    output.message(where);
    return code;
  } finally {
    client.destroy();
  }
}
