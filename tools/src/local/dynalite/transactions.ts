import { createRequire } from 'node:module';
import type { DynaliteStore } from './create.js';
import { type PlannedWrite, planWrites, type Table } from './whole-writes.js';

/** An error as dynalite answers it. */
export interface DynaliteError extends Error {
  readonly statusCode: number;
  readonly body: Readonly<Record<string, unknown>>;
}
type Answer = (error?: DynaliteError | null, value?: unknown) => void;
type Request = Record<string, unknown>;
type Item = Readonly<Record<string, unknown>>;

interface Validation {
  readonly types: object;
  readonly custom: (data: Request, store: DynaliteStore) => string | undefined;
}

const load = createRequire(import.meta.resolve('dynalite'));
const validations = load('./validations') as {
  checkTypes(data: Request, types: object): Request;
  checkValidations(data: Request, types: object, custom: Validation['custom'], store: DynaliteStore): void;
};
const db = load('./db') as {
  createKey(item: Item, table: Table): string;
  validateKey(key: Item, table: Table): DynaliteError | null | undefined;
  validateItem(item: Item, table: Table): DynaliteError | null | undefined;
  validationError(message: string): DynaliteError;
};
const actionOf = (name: string) =>
  load(`./actions/${name}`) as (store: DynaliteStore, data: Request, done: Answer) => void;
const validationOf = (name: string) => load(`./validations/${name}`) as Validation;

/** Parts of a transaction, each with the operation of dynalite that does it for one item. */
const WRITES = {
  Put: 'putItem',
  Update: 'updateItem',
  Delete: 'deleteItem',
  ConditionCheck: 'deleteItem',
} as const;
type WriteKind = keyof typeof WRITES;

const MAX_ITEMS = 100;
const TOKEN_FOR_MS = 10 * 60_000;

/** One part of a transaction, checked as a request of its own. */
interface Part {
  readonly kind: WriteKind | 'Get';
  readonly data: Request;
  readonly table: Table;
  readonly key: string;
  readonly showsItem: boolean;
}

interface Reason {
  readonly Code: string;
  readonly Message?: string;
  readonly Item?: Item;
}

/**
 * `TransactWriteItems` and `TransactGetItems`, which dynalite does not have. The items of a transaction are locked
 * together, in one order, so two of them never wait for each other; what others would see as a conflict waits here.
 */
export class Transactions {
  readonly #tokens = new Map<
    string,
    { readonly request: string; readonly until: number; readonly done: Promise<object> }
  >();

  constructor(
    private readonly store: DynaliteStore,
    /** Writes all of it, or nothing. */
    private readonly writeAll: (writes: readonly PlannedWrite[]) => Promise<void>,
  ) {}

  /** @throws DynaliteError for what DynamoDB refuses, with the reason for each item where one of them is in the way */
  async write(request: Request): Promise<object> {
    const token = request.ClientRequestToken;
    if (typeof token !== 'string') return this.#write(request);
    const text = JSON.stringify(request);
    this.#forget();
    const known = this.#tokens.get(token);
    if (known && known.request !== text)
      throw failure(
        'IdempotentParameterMismatchException',
        'The request uses the same client token as a previous, but non-identical request. Do not reuse a client token with different requests, unless the requests are identical',
      );
    if (known) return known.done;
    const done = this.#write(request);
    this.#tokens.set(token, { request: text, until: Date.now() + TOKEN_FOR_MS, done });
    // What was refused may be tried again.
    done.catch(() => this.#tokens.delete(token));
    return done;
  }

  async get(request: Request): Promise<object> {
    const parts = await this.#parts(request, { Get: 'getItem' });
    return this.#locked(parts, async () => {
      const Responses: object[] = [];
      for (const { data } of parts) {
        const { Item } = (await call('getItem', this.store, data)) as { Item?: Item };
        Responses.push(Item === undefined ? {} : { Item });
      }
      return { Responses };
    });
  }

  async #write(request: Request): Promise<object> {
    const parts = await this.#parts(request, WRITES);
    return this.#locked(parts, async () => {
      const reasons: Reason[] = [];
      const writes: PlannedWrite[] = [];
      for (const part of parts) {
        const planned = await this.#plan(part);
        reasons.push('Code' in planned ? planned : { Code: 'None' });
        if ('writes' in planned && part.kind !== 'ConditionCheck') writes.push(...planned.writes);
      }
      if (reasons.some(({ Code }) => Code !== 'None')) throw cancelled(reasons);
      await this.writeAll(writes);
      return {};
    });
  }

  /**
   * Returns what a part would write: the operation runs on a store that reads this one, and keeps what is written to
   * itself.
   */
  async #plan({
    kind,
    data,
    key,
    showsItem,
  }: Part): Promise<Reason | { readonly writes: readonly PlannedWrite[] }> {
    const writes: PlannedWrite[] = [];
    const items = this.store.getItemDb(data.TableName as string);
    const shadow = planWrites(this.store, (write) => void writes.push(write));
    try {
      await call(WRITES[kind as WriteKind], shadow, data);
      return { writes };
    } catch (error) {
      const { body } = error as Partial<DynaliteError>;
      const type = String(body?.__type).split('#').at(-1);
      if (type === 'ConditionalCheckFailedException') {
        const existing = showsItem ? await read(items, key) : undefined;
        const Message = 'The conditional request failed';
        return {
          Code: 'ConditionalCheckFailed',
          Message,
          ...(existing === undefined ? {} : { Item: existing }),
        };
      }
      if (type === 'ValidationException') return { Code: 'ValidationError', Message: String(body?.message) };
      throw error;
    }
  }

  async #parts(request: Request, kinds: Readonly<Record<string, string>>): Promise<Part[]> {
    const given = request.TransactItems;
    if (!Array.isArray(given) || given.length < 1 || given.length > MAX_ITEMS) {
      const rule =
        given === undefined || given === null
          ? 'Member must not be null'
          : `Member must have length less than or equal to ${MAX_ITEMS} and greater than or equal to 1`;
      throw db.validationError(
        `1 validation error detected: Value at 'transactItems' failed to satisfy constraint: ${rule}`,
      );
    }
    const parts: Part[] = [];
    const seen = new Set<string>();
    for (const one of given as Request[]) {
      const names = Object.keys(one ?? {}).filter((name) => one[name] !== null && name in kinds);
      const [kind] = names;
      if (kind === undefined || names.length > 1) {
        throw db.validationError('TransactItems can only contain one of Check, Put, Update or Delete');
      }
      const part = await this.#part(kind as Part['kind'], kinds[kind] ?? '', one[kind] as Request);
      const id = JSON.stringify([part.data.TableName, part.key]);
      if (seen.has(id))
        throw db.validationError('Transaction request cannot include multiple operations on one item');
      seen.add(id);
      parts.push(part);
    }
    return parts;
  }

  async #part(kind: Part['kind'], operation: string, given: Request): Promise<Part> {
    const { types, custom } = validationOf(operation);
    const showsItem = given.ReturnValuesOnConditionCheckFailure === 'ALL_OLD';
    const data = validations.checkTypes({ ...given }, types);
    validations.checkValidations(data, types, custom, this.store);
    const table = await tableOf(this.store, data.TableName as string);
    const [item, invalid] =
      kind === 'Put'
        ? [data.Item as Item, db.validateItem(data.Item as Item, table)]
        : [data.Key as Item, db.validateKey(data.Key as Item, table)];
    if (invalid) throw invalid;
    return { kind, data, table, key: db.createKey(item, table), showsItem };
  }

  /** Locks the items, always in the same order. */
  #locked<Result>(parts: readonly Part[], act: () => Promise<Result>): Promise<Result> {
    const [first, ...others] = [...parts].sort((a, b) => (lockName(a) < lockName(b) ? -1 : 1));
    if (!first) return act();
    return new Promise((resolve, reject) => {
      this.store.getItemDb(first.data.TableName as string).lock(first.key, (release) => {
        this.#locked(others, act).then(release(resolve), release(reject));
      });
    });
  }

  #forget(): void {
    const now = Date.now();
    for (const [token, { until }] of this.#tokens) if (until <= now) this.#tokens.delete(token);
  }
}

function lockName({ data, key }: Part): string {
  return `${data.TableName}/${key}`;
}

function call(operation: string, store: DynaliteStore, data: Request): Promise<unknown> {
  return new Promise((resolve, reject) => {
    actionOf(operation)(store, data, (error, value) => (error ? reject(error) : resolve(value)));
  });
}

function tableOf(store: DynaliteStore, name: string): Promise<Table> {
  return new Promise((resolve, reject) => {
    store.getTable(name, (error, table) => (error || !table ? reject(error) : resolve(table as Table)));
  });
}

function read(items: ReturnType<DynaliteStore['getItemDb']>, key: string): Promise<Item | undefined> {
  return new Promise((resolve) =>
    items.get(key, (error, item) => resolve(error ? undefined : (item as Item))),
  );
}

function cancelled(reasons: readonly Reason[]): DynaliteError {
  const codes = reasons.map(({ Code }) => Code).join(', ');
  const message = `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`;
  return failure('TransactionCanceledException', message, { CancellationReasons: reasons });
}

function failure(type: string, message: string, more: object = {}): DynaliteError {
  const body = { __type: `com.amazonaws.dynamodb.v20120810#${type}`, ...more, Message: message };
  return Object.assign(new Error(message), { statusCode: 400, body });
}
