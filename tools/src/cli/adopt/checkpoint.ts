import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { ConfigurationError } from 'dynamo-backlog';
import * as z from 'zod';
import { type CounterState, countersSchema } from './counters.js';

const segmentSchema = z.object({
  /** Id behind which it goes on; absent before its first page. */
  after: z.string().optional(),
  done: z.boolean(),
});

const checkpointSchema = z.object({
  version: z.literal(1),
  /** Table, place and rules of the adoption. One that is resumed must have the same. */
  adoption: z.record(z.string(), z.json()),
  segments: z.array(segmentSchema).min(1),
  counters: countersSchema,
});

/** Progress of a segment. */
export type SegmentState = z.output<typeof segmentSchema>;
type Checkpoint = z.output<typeof checkpointSchema>;

/**
 * Keeps the progress of an adoption in a file: one that was interrupted goes on after the last page of each segment.
 */
export class CheckpointFile {
  private saving: Promise<void> | undefined;
  private again = false;

  constructor(
    private readonly path: string,
    private readonly current: () => Omit<Checkpoint, 'version'>,
  ) {}

  /** Saves what is now so; calls that come meanwhile share the next save. */
  async save(): Promise<void> {
    if (this.saving) {
      this.again = true;
      return this.saving;
    }
    this.saving = this.write().finally(() => {
      this.saving = undefined;
    });
    return this.saving;
  }

  async remove(): Promise<void> {
    await this.saving;
    await rm(this.path, { force: true });
  }

  private async write(): Promise<void> {
    do {
      this.again = false;
      const text = JSON.stringify({ version: 1, ...this.current() }, undefined, 1);
      const next = `${this.path}.tmp`;
      await writeFile(next, `${text}\n`, { mode: 0o600 });
      // In one step: a process that is killed leaves the previous state or this one.
      await rename(next, this.path);
    } while (this.again);
  }
}

/**
 * Reads what an interrupted adoption has left; undefined if there is none.
 *
 * @throws ConfigurationError if the file is no such state, or belongs to another adoption
 */
export async function readCheckpoint(
  path: string,
  adoption: Checkpoint['adoption'],
): Promise<{ segments: SegmentState[]; counters: CounterState } | undefined> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new ConfigurationError(`cannot read ${path}: ${error.message}`, { cause: error });
  });
  if (text === undefined) return undefined;
  const found = checkpointSchema.safeParse(parseJson(text));
  if (!found.success) {
    throw new ConfigurationError(
      `${path}: expected the state of an adoption; name another file with --resume`,
    );
  }
  const others = Object.keys({ ...adoption, ...found.data.adoption }).filter(
    (name) => !isDeepStrictEqual(adoption[name], found.data.adoption[name]),
  );
  if (others.length > 0) {
    throw new ConfigurationError(
      `${path}: it belongs to an adoption that began with another ${others.join(', ')}: go on with the same flags, or remove the file to begin again`,
    );
  }
  return found.data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
