import { renameSync, writeFileSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ConfigurationError } from 'dynamo-backlog';
import { type Clock, type ClockSetting, parseOptions, scaledClock } from 'dynamo-backlog/engine';
import * as z from 'zod';
import { folderTrouble } from '../folder-trouble.js';

/** Creation and last firing of a rule, in the backlog's time, epoch milliseconds. */
export interface RulePhase {
  readonly createdAt: number;
  readonly lastFiredAt?: number | undefined;
}

const stateSchema = z.strictObject({
  version: z.literal(1),
  /** Time that no clock has passed, epoch milliseconds. */
  clock: z.number(),
  rules: z.record(z.string(), z.strictObject({ createdAt: z.number(), lastFiredAt: z.number().optional() })),
});

/** Change of the clock. What is left out stays as it is. */
export interface ClockChange {
  /** Seconds of the backlog that pass in a real one, from 1 to 100,000. */
  readonly speed?: number | undefined;
  readonly paused?: boolean | undefined;
  /** The time to go on from, epoch milliseconds. One that has passed changes nothing. */
  readonly to?: number | undefined;
}

export interface TimekeeperOptions {
  readonly speed: number;
  /** File that keeps time and the phases of the rules between starts. Default: none. */
  readonly file?: string | undefined;
  /** The clock is frozen until `begin`. Default: it goes at once. */
  readonly waits?: boolean | undefined;
  /** Called if the file cannot be written any more. */
  readonly onTrouble?: ((error: ConfigurationError) => void) | undefined;
}

/** The file is written this often, in real time. */
export const SAVE_EVERY_MS = 1_000;

/**
 * The backlog's clock and the phases of its rules. With a file time never runs backwards from one start to the next,
 * however the last one ended: the file is always a little ahead of the clock.
 */
export class Timekeeper {
  readonly clock: Clock;
  #startedAt: number;
  readonly phases: Map<string, RulePhase>;
  readonly #file: string | undefined;
  #setting: ClockSetting;
  /** Change that is about to be made. */
  #change: ClockChange = {};
  #timer: NodeJS.Timeout | undefined;
  #saving: Promise<void> = Promise.resolve();

  private constructor(setting: ClockSetting, phases: Map<string, RulePhase>, file: string | undefined) {
    this.#setting = setting;
    this.clock = scaledClock(() => this.#setting);
    this.#startedAt = setting.start;
    this.phases = phases;
    this.#file = file;
  }

  /** Time when the clock began to go, in the backlog's time, epoch milliseconds. */
  get startedAt(): number {
    return this.#startedAt;
  }

  /** The clock as it goes now. */
  get setting(): ClockSetting {
    return this.#setting;
  }

  /** @throws ConfigurationError if the file is not one of ours, or cannot be written */
  static async start({
    speed,
    file,
    waits = false,
    onTrouble = () => {},
  }: TimekeeperOptions): Promise<Timekeeper> {
    const saved = file === undefined ? undefined : await readState(file);
    const wallStart = Date.now();
    const setting = { wallStart, start: Math.max(wallStart, saved?.clock ?? 0), speed, paused: waits };
    const keeper = new Timekeeper(setting, new Map(Object.entries(saved?.rules ?? {})), file);
    if (file !== undefined) {
      const folder = dirname(file);
      const cannotWrite = (error: unknown) => {
        throw folderTrouble(folder, error);
      };
      await mkdir(folder, { recursive: true }).catch(cannotWrite);
      await keeper.#save().catch(cannotWrite);
      keeper.#timer = setInterval(() => {
        keeper.#save().catch((error) => onTrouble(folderTrouble(folder, error)));
      }, SAVE_EVERY_MS);
      keeper.#timer.unref();
    }
    return keeper;
  }

  /** Lets the clock go: from now, or from where it stands if that is later. `tell` is as that of `change`. */
  async begin(tell: (setting: ClockSetting) => Promise<void>): Promise<void> {
    await this.change({ paused: false, to: Date.now() }, tell);
    this.#startedAt = this.#setting.start;
  }

  /**
   * Changes how the clock goes. Time never runs backwards by it: not for what follows the clock, and not at the next
   * start, however this one ends.
   *
   * @param tell sets the clocks of what follows this one, and resolves when they are set. It is called twice. First all
   *   of them are to be frozen: none is then ahead of this clock, which goes on until they do. Then they are to go
   *   as this one does
   * @throws ConfigurationError if the file cannot be written; nothing is changed then
   */
  async change(change: ClockChange, tell: (setting: ClockSetting) => Promise<void>): Promise<void> {
    this.#change = change;
    try {
      await this.#save();
    } catch (error) {
      this.#change = {};
      throw folderTrouble(dirname(this.#file ?? ''), error);
    }
    await tell({ ...this.#setting, wallStart: Date.now(), start: this.clock.now(), paused: true });
    const { speed, paused = false } = this.#setting;
    const start = Math.max(this.clock.now(), change.to ?? 0);
    this.#setting = {
      wallStart: Date.now(),
      start,
      speed: change.speed ?? speed,
      paused: change.paused ?? paused,
    };
    this.#change = {};
    await tell(this.#setting);
  }

  /**
   * Writes the present time and the phases for the next start.
   *
   * @throws ConfigurationError if they cannot be written
   */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#saving.catch(() => {});
    if (this.#file === undefined) return;
    try {
      writeState(this.#file, this.#state(this.clock.now()));
    } catch (error) {
      throw folderTrouble(dirname(this.#file), error);
    }
  }

  /** Writes the file, one write at a time: an older time must not replace a newer one. */
  #save(): Promise<void> {
    const write = async (file: string) => {
      await writeFile(`${file}.part`, this.#state(this.#ahead()));
      await rename(`${file}.part`, file);
    };
    const file = this.#file;
    if (file === undefined) return Promise.resolve();
    this.#saving = this.#saving.catch(() => {}).then(() => write(file));
    return this.#saving;
  }

  /**
   * Returns a time that the clock does not reach until the next write has surely happened, even with the change that is
   * about to come.
   */
  #ahead(): number {
    const { speed, paused = false } = this.#setting;
    const { to = 0, speed: next = speed, paused: stays = paused } = this.#change;
    const fastest = paused && stays ? 0 : Math.max(speed, next);
    return Math.max(this.clock.now(), to) + 3 * SAVE_EVERY_MS * fastest;
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
