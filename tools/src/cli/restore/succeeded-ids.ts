import { createReadStream } from 'node:fs';
import { ConfigurationError } from 'dynamo-backlog';
import { isPlainObject } from 'dynamo-backlog/engine';
import { readLines, TOO_LONG } from '../ndjson.js';

export interface SucceededIds {
  readonly ids: ReadonlySet<string>;
  /** Lines that name no success: other statuses, other messages. */
  readonly others: number;
}

/**
 * Reads the ids of records that have succeeded, one a line: the id itself, a JSON string, or a JSON object. Of an
 * object counts `id`, unless its `status` says something else than SUCCESS; the text of a log line in `@message`; or
 * the key and the new image of a stream record.
 *
 * @throws ConfigurationError if the file cannot be read
 */
export async function readSucceededIds(file: string): Promise<SucceededIds> {
  const ids = new Set<string>();
  let others = 0;
  try {
    for await (const line of readLines(createReadStream(file))) {
      const { number, text } = line;
      // Ids of another encoding match no record, which would then be attempted again.
      if (text !== TOO_LONG && line.problem !== undefined)
        throw new Error(`line ${number} is ${line.problem}`);
      const id = text === TOO_LONG ? undefined : succeededId(text);
      if (id === undefined) others++;
      else ids.add(id);
    }
  } catch (error) {
    throw new ConfigurationError(`--succeeded-ids: ${file} cannot be read: ${(error as Error).message}`);
  }
  return { ids, others };
}

/** The id that a line names as succeeded; undefined: none. */
function succeededId(line: string): string | undefined {
  if (!/^["{]/.test(line)) return line;
  const value = parsed(line);
  return value === undefined ? undefined : idIn(value);
}

function idIn(value: unknown): string | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value;
  if (!isPlainObject(value)) return undefined;
  const message = value['@message'];
  // Another program's log line may be no JSON: it names no id.
  if (typeof message === 'string') return message.startsWith('{') ? idIn(parsed(message)) : undefined;
  const stream = isPlainObject(value.dynamodb) ? value.dynamodb : value;
  if (isPlainObject(stream.Keys)) {
    const image = isPlainObject(stream.NewImage) ? stream.NewImage : {};
    return textOf(image.status) === 'SUCCESS' ? textOf(stream.Keys.id) : undefined;
  }
  const isSuccess = value.status === undefined || value.status === 'SUCCESS';
  return isSuccess && typeof value.id === 'string' && value.id !== '' ? value.id : undefined;
}

function textOf(attribute: unknown): string | undefined {
  return isPlainObject(attribute) && typeof attribute.S === 'string' ? attribute.S : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
