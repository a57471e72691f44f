import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Item } from '../../record/index.js';
import type { JobChange, JobStore, Kept } from '../job-store.js';
import { toAttributes, toItem } from './attribute-values.js';
import { isMap, isText, JOB_PREFIX } from './control-values.js';
import { and, Expressions, or } from './expressions.js';
import type { Table } from './table.js';

/** A damaged page must not unpack into all of the memory: a page holds 100 records of 400 KB at most. */
const MAX_UNPACKED_BYTES = 64 * 1024 * 1024;

/**
 * The jobs of operators in the control table: an item for each, and one for each page of what it changes. Pages are kept
 * compressed, because every scan of the control table passes over them for two days.
 *
 *     key        job#ID; undo#ID#1, undo#ID#2 and so on
 *     expiresAt  epoch seconds
 *     kept       of a page: a list of `Kept` as DynamoDB's JSON, compressed
 */
export class DynamoDbJobs implements JobStore {
  constructor(
    private readonly table: Table,
    private readonly listItems: () => Promise<ReadonlyMap<string, Item>>,
  ) {}

  async create(id: string, job: Item): Promise<boolean> {
    const expressions = new Expressions();
    const isNew = or(expressions.absent('key'), expressions.equal('rev', job.rev));
    return (await this.table.update(jobKey(id), expressions.update(job, [], isNew))).written;
  }

  read(id: string): Promise<Item | undefined> {
    return this.table.get(jobKey(id));
  }

  list(): Promise<ReadonlyMap<string, Item>> {
    return this.listItems();
  }

  async change(id: string, { set, remove = [], expected }: JobChange): Promise<Item | undefined> {
    const expressions = new Expressions();
    const clauses = Object.entries(expected).map(([name, value]) =>
      value === undefined ? expressions.absent(name) : expressions.equal(name, value),
    );
    // The answer to a first try was lost, and the client has repeated it.
    const condition = or(
      and(expressions.exists('key'), ...clauses),
      and(expressions.exists('key'), expressions.equal('rev', set.rev)),
    );
    const answer = await this.table.update(jobKey(id), expressions.update(set, remove, condition), true);
    return answer.written ? answer.item : undefined;
  }

  async keep(id: string, page: number, kept: readonly Kept[], expiresAt: number): Promise<boolean> {
    const expressions = new Expressions();
    const packed = await pack(kept);
    const isNew = or(expressions.absent('key'), expressions.equal('kept', packed));
    const update = expressions.update({ kept: packed, expiresAt }, [], isNew);
    return (await this.table.update(undoKey(id, page), update)).written;
  }

  async kept(id: string, page: number): Promise<readonly Kept[] | undefined> {
    const item = await this.table.get(undoKey(id, page));
    return item && unpack(item.kept);
  }
}

function jobKey(id: string): string {
  return `${JOB_PREFIX}${id}`;
}

function undoKey(id: string, page: number): string {
  return `undo#${id}#${page}`;
}

async function pack(kept: readonly Kept[]): Promise<Uint8Array> {
  const text = JSON.stringify(toAttributes({ kept }), (_, value: unknown) =>
    value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value,
  );
  return promisify(gzip)(text);
}

/** A damaged page is empty: no record of it can be undone. */
async function unpack(packed: unknown): Promise<readonly Kept[]> {
  if (!(packed instanceof Uint8Array)) return [];
  try {
    const text = await promisify(gunzip)(packed, { maxOutputLength: MAX_UNPACKED_BYTES });
    const { kept } = toItem(JSON.parse(text.toString(), withBytes) as Record<string, AttributeValue>);
    return Array.isArray(kept) ? kept.filter(isKept) : [];
  } catch {
    return [];
  }
}

/** Bytes are text in DynamoDB's JSON. A name of a producer's own, such as `B`, has a map there, and no text. */
function withBytes(name: string, value: unknown): unknown {
  if (name === 'B' && typeof value === 'string') return Buffer.from(value, 'base64');
  if (name !== 'BS' || !Array.isArray(value)) return value;
  return value.map((bytes) => Buffer.from(String(bytes), 'base64'));
}

function isKept(value: unknown): value is Kept {
  if (!isMap(value)) return false;
  const { id, revs, names, before } = value;
  const areTexts = (list: unknown) => Array.isArray(list) && list.every((one) => typeof one === 'string');
  return isText(id) && areTexts(revs) && areTexts(names) && isMap(before);
}
