import { ConfigurationError } from 'dynamo-backlog';
import {
  type Clock,
  createDynamoDbClient,
  DynamoDbOperatorStore,
  isOfStore,
  systemClock,
  toIso,
} from 'dynamo-backlog/engine';
import { confirmed, requireTerminal } from '../confirm.js';
import { listenForInterrupt } from '../interrupt.js';
import { counted, EXIT, type ExitCode, type Output, printable } from '../output.js';
import { beginIn, type Moved, moveBetween, type Region } from './move.js';
import { compareReplicas, type Replication } from './replicas.js';

export interface FailoverFlags {
  readonly to: string;
  readonly table: string;
  readonly controlTable: string;
  readonly force?: boolean | undefined;
  readonly dryRun?: boolean | undefined;
  readonly yes?: boolean | undefined;
  readonly json?: boolean | undefined;
  /** DynamoDB's URL in `to`. Default: AWS. */
  readonly endpoint?: string | undefined;
  /** DynamoDB's URL in the region that is active. Default: AWS. */
  readonly fromEndpoint?: string | undefined;
}

/** The JSON that `--json` prints. */
interface Result {
  /** The region that attempts records, or is about to, when the command has ended. */
  readonly active: string;
  readonly result: Moved | 'alreadyActive' | 'unchanged';
  /** Number of records that `--dry-run` has compared. Missing if the active region does not answer. */
  readonly compared?: number;
  readonly differing?: readonly string[];
}

interface Connected extends Region {
  /** @throws StoreError if a table is not there, or DynamoDB does not answer */
  check(): Promise<void>;
  close(): void;
}

/** Dependencies that tests replace. */
export interface FailoverDeps {
  readonly clock: Clock;
  readonly createClient: typeof createDynamoDbClient;
}

/** Id that is read to see whether DynamoDB answers. There need not be such a record. */
const NO_RECORD = 'backlog-failover';
/** Time limit of a request: an operator waits for the answer. */
const ANSWER_WITHIN_MS = 5_000;

/** `backlog failover`: makes another region the active one. */
export async function failover(
  flags: FailoverFlags,
  output: Output,
  { clock, createClient }: FailoverDeps = { clock: systemClock, createClient: createDynamoDbClient },
): Promise<ExitCode> {
  const { to: name, force = false, dryRun = false, yes } = flags;
  if (!dryRun && !yes) requireTerminal();
  const connect = (region: string, endpoint: string | undefined) =>
    connected(region, createClient({ region, endpoint, requestTimeoutMs: ANSWER_WITHIN_MS }), flags);
  const to = connect(name, flags.endpoint);
  let from: Connected | undefined;
  const say = (result: Result) => {
    if (flags.json) output.data(JSON.stringify(result));
  };
  const interrupt = listenForInterrupt(() => output.message('stopping (Ctrl-C again to stop at once) ...'));
  try {
    await to.check();
    const state = await stateIn(to, clock.now());
    if (state.isActive) {
      output.message(`${name} is active${state.since === undefined ? '' : `, since ${state.since}`}`);
      say({ active: name, result: 'alreadyActive' });
      return EXIT.ok;
    }
    from = connect(state.active, flags.fromEndpoint);
    const trouble = await from.check().then(
      () => undefined,
      (error: unknown) => {
        if (!isOfStore(error)) throw error;
        return error.message;
      },
    );
    if (trouble !== undefined && !force) throw new ConfigurationError(unreachable(from.name, trouble));
    if (dryRun) {
      const found = await look(from, to, { trouble, now: clock.now() }, output);
      say({ active: from.name, result: 'unchanged', ...found });
      return found ? EXIT.ok : EXIT.problems;
    }
    const question =
      trouble === undefined
        ? `Stop ${from.name}, and have ${name} attempt the records of ${flags.table}?`
        : `${from.name} does not answer. Have ${name} attempt the records of ${flags.table} at once?`;
    if (!(await confirmed(question, yes, interrupt.signal))) {
      output.message('nothing was changed');
      say({ active: from.name, result: 'unchanged' });
      return EXIT.failed;
    }
    const deps = { clock, signal: interrupt.signal, say: output.message, force };
    const moved =
      trouble === undefined ? await moveBetween(from, to, deps) : await beginIn(to, from.name, deps);
    if (moved === 'moved' && trouble !== undefined) output.message(whatComesTwice(from.name));
    const isBack = moved === 'givenBack';
    const code = exitCode(moved);
    say({ active: isBack ? from.name : name, result: moved });
    return code;
  } finally {
    interrupt.close();
    from?.close();
    to.close();
  }
}

function connected(
  name: string,
  client: ReturnType<typeof createDynamoDbClient>,
  { table, controlTable }: FailoverFlags,
): Connected {
  const tables = { records: table, control: controlTable };
  const store = new DynamoDbOperatorStore({ client, tables, clock: systemClock });
  return {
    name,
    store,
    // By requests for items alone: those that describe a table may fail where a region is in trouble.
    async check() {
      await Promise.all([store.activeRegion.read(), store.records.getMany([NO_RECORD])]);
    },
    close: () => client.destroy(),
  };
}

/** Returns the region that is active, or is about to be left, as the tables of a region say. */
async function stateIn(
  to: Connected,
  now: number,
): Promise<{ active: string; isActive: boolean; since?: string }> {
  const [said, { primaryRegion }] = await Promise.all([
    to.store.activeRegion.read(),
    to.store.registry.read(),
  ]);
  const active = said?.region ?? primaryRegion;
  if (active === undefined) {
    throw new ConfigurationError(
      `no Backlog with "primaryRegion" has run on these tables, as far as ${to.name} knows: see docs/regions.md`,
    );
  }
  if (active !== to.name) return { active: printable(active), isActive: false };
  if (!said) return { active, isActive: true };
  const isUnderWay = now < said.from;
  if (isUnderWay) return { active: printable(said.before), isActive: false };
  return { active, isActive: true, since: toIso(said.from) };
}

/** Compares the replicas for `--dry-run`. Undefined: the active region does not answer. */
async function look(
  from: Connected,
  to: Connected,
  { trouble, now }: { readonly trouble: string | undefined; readonly now: number },
  output: Output,
): Promise<Replication | undefined> {
  output.message(
    `${from.name} is active, and ${trouble === undefined ? 'answers' : `does not answer: ${trouble}`}`,
  );
  if (trouble !== undefined) return undefined;
  const { compared, differing } = await compareReplicas(from.store, to.store, now);
  output.message(
    `${to.name} has ${counted(compared, 'due record')}, of which ${differing.length} differ from ${from.name}` +
      `${differing.length > 0 ? `, such as ${differing.slice(0, 3).map(printable).join(', ')}` : ''}`,
  );
  output.message('nothing was changed');
  return { compared, differing };
}

function unreachable(name: string, trouble: string): string {
  return (
    `${name} is active, and does not answer (${trouble}). If it is down, add --force: then what is under attempt there, and ` +
    'what has succeeded there and is not replicated yet, is attempted again'
  );
}

function whatComesTwice(name: string): string {
  return (
    `When ${name} is back, its functions attempt what is due until its tables are replicated and a minute is over. To be ` +
    'sure, disable its rules before. See docs/regions.md.'
  );
}

function exitCode(moved: Moved): ExitCode {
  switch (moved) {
    case 'moved':
      return EXIT.ok;
    case 'givenBack':
      return EXIT.problems;
    case 'interrupted':
      return EXIT.failed;
    case 'changed':
      throw new ConfigurationError('another command has changed the active region meanwhile: try again');
  }
}
