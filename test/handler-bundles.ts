import { join } from 'node:path';
import { type BuildOptions, type BuildResult, build, type Metafile } from 'esbuild';
import { BUNDLING, FOLDERS, handlerBundle } from '../scripts/handlers.mjs';

export const HANDLERS = Object.values(FOLDERS).flat();

/** Both written out, so that they can be loaded as well. */
export interface HandlerBundles {
  readonly handler: Bundle;
  /** A handler that does nothing but send commands with the same clients: the same esbuild, the SDK as it is. */
  readonly bare: Bundle;
}

export interface Bundle {
  readonly file: string;
  /** The size of what is loaded at a cold start. */
  readonly bytes: number;
  /** The number of files that are loaded at a cold start. */
  readonly files: number;
  /** Files that have a part in it, from the package's root. */
  readonly inputs: readonly string[];
  /** Files that have a part in what is loaded only if it is needed. */
  readonly laterInputs: readonly string[];
}

const DYNAMODB = `
  import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
  import {
    BatchGetCommand, DynamoDBDocumentClient, GetCommand, PutCommand, QueryCommand, UpdateCommand,
  } from '@aws-sdk/lib-dynamodb';
  const commands = { BatchGetCommand, GetCommand, PutCommand, QueryCommand, UpdateCommand };
  const documents = DynamoDBDocumentClient.from(new DynamoDBClient({}));
  const dynamoDb = ({ command, input }) => documents.send(new commands[command](input));
`;
const SQS = `
  import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
  const queues = new SQSClient({});
  const sqs = ({ input }) => queues.send(new SendMessageCommand(input));
`;
const LAMBDA = `
  import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
  const functions = new LambdaClient({});
  const lambda = ({ input }) => functions.send(new InvokeCommand(input));
`;

const DYNAMODB_ALONE = `${DYNAMODB} export const handler = dynamoDb;`;
const BARE: Readonly<Record<string, string>> = {
  fibonacci: DYNAMODB_ALONE,
  progressive: DYNAMODB_ALONE,
  recurring: DYNAMODB_ALONE,
  intake: `${DYNAMODB} ${SQS} ${LAMBDA} export const handler = (event) => ({ dynamoDb, sqs, lambda })[event.service](event);`,
  monitor: `${DYNAMODB} ${LAMBDA} export const handler = (event) => ({ dynamoDb, lambda })[event.service](event);`,
  'record-events': DYNAMODB_ALONE,
  widget: DYNAMODB_ALONE,
  'widget-actions': DYNAMODB_ALONE,
  'completion-url': DYNAMODB_ALONE,
  sweep: `${DYNAMODB} ${SQS} export const handler = (event) => ({ dynamoDb, sqs })[event.service](event);`,
};

export async function bundleHandler(name: string, folder: string): Promise<HandlerBundles> {
  const [together = '', names = []] = Object.entries(FOLDERS).find(([, all]) => all.includes(name)) ?? [];
  const contents = BARE[name] ?? '';
  const likeIt = Object.keys(BARE).find((other) => BARE[other] === contents);
  const [handler, bare] = await Promise.all([
    bundle({ ...handlerBundle(names), outdir: `${folder}/${together}` }, `functions/${name}.ts`),
    bundle(
      {
        ...BUNDLING,
        stdin: { contents, resolveDir: '.', loader: 'js' },
        outfile: `${folder}/bare-${likeIt}.mjs`,
      },
      '<stdin>',
    ),
  ]);
  return { handler, bare };
}

/** Results of esbuild by the place that they are written to: several handlers have one in common. */
const built = new Map<string, Promise<BuildResult<{ metafile: true }>>>();

function buildOnce(options: BuildOptions): Promise<BuildResult<{ metafile: true }>> {
  const place = options.outdir ?? options.outfile ?? '';
  const known = built.get(place) ?? build({ ...options, metafile: true });
  built.set(place, known);
  return known;
}

async function bundle(options: BuildOptions, entry: string): Promise<Bundle> {
  const { metafile } = await buildOnce(options);
  const { outputs } = metafile;
  const file = Object.keys(outputs).find((path) => outputs[path]?.entryPoint === entry);
  if (file === undefined) throw new Error('esbuild wrote nothing');
  const atStart = loadedWith(file, metafile);
  const later = Object.keys(outputs).filter((path) => !atStart.has(path));
  return {
    file: join(options.absWorkingDir ?? '.', file),
    bytes: [...atStart].reduce((sum, path) => sum + (outputs[path]?.bytes ?? 0), 0),
    files: atStart.size,
    inputs: inputsOf([...atStart], metafile),
    laterInputs: inputsOf(later, metafile),
  };
}

/** A file, and those that it imports as it is loaded, and so on. */
function loadedWith(file: string, { outputs }: Metafile, seen: Set<string> = new Set()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  for (const { path, kind, external } of outputs[file]?.imports ?? []) {
    if (kind === 'import-statement' && !external) loadedWith(path, { outputs } as Metafile, seen);
  }
  return seen;
}

function inputsOf(files: readonly string[], { outputs }: Metafile): string[] {
  const inputs = files.flatMap((file) => Object.entries(outputs[file]?.inputs ?? {}));
  return inputs.flatMap(([input, { bytesInOutput }]) => (bytesInOutput > 0 ? input : []));
}
