import { renameSync, writeFileSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import * as z from 'zod';
import { type Clock, type ClockSetting, scaledClock } from '../../../clock.js';
import { ConfigurationError } from '../../../errors.js';
import { parseOptions } from '../../../validation.js';
import { folderTrouble } from '../folder-trouble.js';

/** When a rule came into being, and when it last fired, in the backlog's time, epoch milliseconds. */
export interface RulePhase {
  readonly createdAt: number;
  readonly lastFiredAt?: number | undefined;
}

const stateSchema = z.strictObject({
  version: z.literal(1),
  /** No clock has shown a later time, epoch milliseconds. */
  clock: z.number(),
  rules: z.record(z.string(), z.strictObject({ createdAt: z.number(), lastFiredAt: z.number().optional() })),
});

export interface TimekeeperOptions {
  readonly speed: number;
  /** Where time and the phases of the rules are kept between starts. Default: nowhere. */
  readonly file?: string | undefined;
  /** Told that the file cannot be written any more. */
  readonly onTrouble?: ((error: ConfigurationError) => void) | undefined;
}

/** The file is written this often, in real time. */
export const SAVE_EVERY_MS = 1_000;

/**
 * The backlog's clock and the phases of its rules. With a file time never runs backwards from one start to the next,
 * however the last one ended: the file is always a little ahead of the clock.
 */
export class Timekeeper {
  readonly setting: ClockSetting;
  readonly clock: Clock;
  readonly startedAt: number;
  readonly phases: Map<string, RulePhase>;
  readonly #file: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #saving: Promise<void> = Promise.resolve();

  private constructor(setting: ClockSetting, phases: Map<string, RulePhase>, file: string | undefined) {
    this.setting = setting;
    this.clock = scaledClock(setting);
    this.startedAt = setting.start;
    this.phases = phases;
    this.#file = file;
  }

  /** @throws ConfigurationError if the file is not one of ours, or cannot be written */
  static async start({ speed, file, onTrouble = () => {} }: TimekeeperOptions): Promise<Timekeeper> {
    const saved = file === undefined ? undefined : await readState(file);
    const wallStart = Date.now();
    const setting = { wallStart, start: Math.max(wallStart, saved?.clock ?? 0), speed };
    const keeper = new Timekeeper(setting, new Map(Object.entries(saved?.rules ?? {})), file);
    if (file !== undefined) {
      const folder = dirname(file);
      const cannotWrite = (error: unknown) => {
        throw folderTrouble(folder, error);
      };
      await mkdir(folder, { recursive: true }).catch(cannotWrite);
      await keeper.#save().catch(cannotWrite);
    }
    if (file !== undefined) {
      keeper.#timer = setInterval(() => {
        keeper.#saving = keeper.#save().catch((error) => onTrouble(folderTrouble(dirname(file), error)));
      }, SAVE_EVERY_MS);
      keeper.#timer.unref();
    }
    return keeper;
  }

  /**
   * Writes the present time and the phases for the next start.
   *
   * @throws ConfigurationError if they cannot be written
   */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#saving;
    if (this.#file === undefined) return;
    try {
      writeState(this.#file, this.#state(this.clock.now()));
    } catch (error) {
      throw folderTrouble(dirname(this.#file), error);
    }
  }

  async #save(): Promise<void> {
    if (this.#file === undefined) return;
    // Ahead by what may pass until the next write has surely happened.
    const ahead = this.clock.now() + 3 * SAVE_EVERY_MS * this.setting.speed;
    const partial = `${this.#file}.part`;
    await writeFile(partial, this.#state(ahead));
    await rename(partial, this.#file);
  }

  #state(clock: number): string {
    return `${JSON.stringify({ version: 1, clock, rules: Object.fromEntries(this.phases) })}\n`;
  }
}

function writeState(file: string, state: string): void {
  writeFileSync(`${file}.part`, state);
  renameSync(`${file}.part`, file);
}

async function readState(file: string): Promise<z.output<typeof stateSchema> | undefined> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw folderTrouble(dirname(file), error);
  }
  try {
    return parseOptions(stateSchema, JSON.parse(text), '');
  } catch (error) {
    throw new ConfigurationError(
      `${file} is no state of a local runtime: ${(error as Error).message}. It holds the time and the phases of the rules, no records: remove it, and they begin again`,
      { cause: error },
    );
  }
}
