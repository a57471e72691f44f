import { type BuildOptions, type BuildResult, build } from 'esbuild';
import { BUNDLING, HANDLERS, handlerBundle } from '../scripts/handlers.mjs';

export { HANDLERS };

/** Both written out, so that they can be loaded as well. */
export interface HandlerBundles {
  readonly handler: Bundle;
  /** A handler that does nothing but send commands with the same clients: the same esbuild, the SDK as it is. */
  readonly bare: Bundle;
}

export interface Bundle {
  readonly file: string;
  readonly bytes: number;
  /** Files of which something is in it, from the package's root. */
  readonly inputs: readonly string[];
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

const DELIVERY = `${DYNAMODB} export const handler = dynamoDb;`;
const BARE: Readonly<Record<string, string>> = {
  fibonacci: DELIVERY,
  progressive: DELIVERY,
  intake: `${DYNAMODB} ${SQS} ${LAMBDA} export const handler = (event) => ({ dynamoDb, sqs, lambda })[event.service](event);`,
  sweep: `${DYNAMODB} ${SQS} export const handler = (event) => ({ dynamoDb, sqs })[event.service](event);`,
};

export async function bundleHandler(name: string, folder: string): Promise<HandlerBundles> {
  const [handler, bare] = await Promise.all([
    bundle(handlerBundle(name), `${folder}/${name}.mjs`),
    bundle(
      { ...BUNDLING, stdin: { contents: BARE[name] ?? '', resolveDir: '.', loader: 'js' } },
      `${folder}/bare-${name}.mjs`,
    ),
  ]);
  return { handler, bare };
}

async function bundle(options: BuildOptions, outfile: string): Promise<Bundle> {
  const { metafile }: BuildResult<{ metafile: true }> = await build({ ...options, outfile, metafile: true });
  const [output] = Object.values(metafile.outputs);
  if (!output) throw new Error(`esbuild wrote nothing for ${outfile}`);
  const inputs = Object.entries(output.inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0);
  return { file: outfile, bytes: output.bytes, inputs: inputs.map(([input]) => input) };
}
