import type { EntryIterator, LevelDatabase } from './create.js';

type Callback = (error?: Error | null, value?: unknown) => void;

/** Codes of LevelDB, and of the system. Others tell that the database is closed, or was used in a wrong way. */
const FAILED = /^(LEVEL_(IO_ERROR|CORRUPTION|DECODE_ERROR)|E[A-Z0-9]+)$/;
/**
 * The code of a database that was closed while a request was at work, as at the stop of a busy machine; or the text that dynalite puts
 * in its place.
 */
const CLOSED = /^LEVEL_(DATABASE|ITERATOR)_NOT_OPEN$|^Database is closed$/;

/**
 * dynalite ends its process when its database fails: the disk is full, the folder may not be written to any more, a file is damaged. It
 * does so, too, when the database is closed while a request is at work. Without this patch `backlog start` crashes then, with no word
 * on what to do. With it the request is answered with an error.
 *
 * Where the database has failed, `onFailure` is called, once. From then on no write is accepted: LevelDB would go on in the middle of a
 * file that ends with half an entry, and what it wrote behind that could not be read again.
 */
export function guardDatabase(database: LevelDatabase, onFailure: (error: Error) => void): void {
  let failure: Error | undefined;
  const translate = (error: Error): Error => {
    const { code } = error as NodeJS.ErrnoException;
    if (CLOSED.test(code ?? error.message)) return answerOf(error, 'the embedded DynamoDB is being stopped');
    if (code === undefined || !FAILED.test(code)) return error;
    if (!failure) {
      failure = answerOf(error, 'the embedded DynamoDB cannot use its data any more');
      onFailure(error);
    }
    return failure;
  };
  const guarded =
    (done: Callback): Callback =>
    (error, value) =>
      done(error && translate(error), value);
  const refused = (done: Callback): boolean => {
    if (failure) setImmediate(done, failure);
    return failure !== undefined;
  };
  /** Begins a list. That of a closed database throws at once, in a callback that no code guards. */
  const begin = (list: LevelDatabase['keys'], options?: object): EntryIterator => {
    try {
      return list.call(database, options);
    } catch (error) {
      return { next: () => Promise.reject(error), close: async () => {} };
    }
  };
  const { get, put, del, batch, keys, values } = database;
  database.get = (key, done) => get.call(database, key, guarded(done));
  database.put = (key, value, done) => refused(done) || put.call(database, key, value, guarded(done));
  database.del = (key, done) => refused(done) || del.call(database, key, guarded(done));
  database.batch = (operations, done) => refused(done) || batch.call(database, operations, guarded(done));
  for (const [name, list] of Object.entries({ keys, values })) {
    database[name as 'keys' | 'values'] = (options) => {
      const iterator = begin(list, options);
      const next = iterator.next.bind(iterator);
      iterator.next = () =>
        next().catch((error) => {
          const translated = translate(error);
          // No code listens to the error of a list of names. After it, what the list lacks is not written any more.
          if (name === 'keys' && translated !== error) return undefined;
          throw translated;
        });
      return iterator;
    };
  }
}

/** Builds the error with which dynalite answers once its database has failed, or is closed. */
function answerOf(cause: Error, message: string): Error {
  return Object.assign(new Error(message, { cause }), {
    statusCode: 500,
    body: { __type: 'com.amazonaws.dynamodb.v20120810#InternalServerError', message },
  });
}
