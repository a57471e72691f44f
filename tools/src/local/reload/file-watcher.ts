import { relative, sep } from 'node:path';
import { type FSWatcher, watch } from 'chokidar';
import type { AppFiles } from './app-files.js';

export interface WatcherOptions {
  /** Watched with all that is below it. */
  readonly folder: string;
  readonly files: AppFiles;
  /** A file was written, made or removed; an absolute path. */
  readonly onChange: (path: string) => void;
  readonly onTrouble: (error: Error) => void;
}

/** Watches the files of an app, and single files elsewhere. */
export class Watcher {
  readonly #watcher: FSWatcher;
  readonly #folder: string;
  readonly #files: AppFiles;
  readonly #single = new Set<string>();

  private constructor({ folder, files, onChange, onTrouble }: WatcherOptions) {
    this.#folder = folder;
    this.#files = files;
    this.#watcher = watch(folder, {
      ignoreInitial: true,
      ignored: (path, stats) => this.#isIgnored(path, stats?.isFile() === true),
    });
    for (const event of ['add', 'change', 'unlink'] as const) this.#watcher.on(event, onChange);
    this.#watcher.on('error', (error) => onTrouble(error as Error));
  }

  /** Resolves when no change is missed any more. */
  static async start(options: WatcherOptions): Promise<Watcher> {
    const watcher = new Watcher(options);
    await new Promise<void>((ready) => watcher.#watcher.once('ready', ready));
    return watcher;
  }

  /** Watches these, too, wherever they are. */
  add(paths: Iterable<string>): void {
    const added = [...paths].filter((path) => !this.#single.has(path));
    for (const path of added) this.#single.add(path);
    const elsewhere = added.filter((path) => this.#isElsewhere(path) || this.#isLeftOut(path));
    if (elsewhere.length > 0) this.#watcher.add(elsewhere);
  }

  async stop(): Promise<void> {
    await this.#watcher.close();
  }

  #isIgnored(path: string, isFile: boolean): boolean {
    if (this.#single.has(path) || this.#isElsewhere(path)) return false;
    return isFile ? !this.#files.isSource(path) : this.#files.isIgnoredFolder(path);
  }

  #isElsewhere(path: string): boolean {
    const inside = relative(this.#folder, path);
    return inside === '..' || inside.startsWith(`..${sep}`);
  }

  /** Tells whether the watcher may leave a path out: it is no source, or lies in a folder that may be ignored. */
  #isLeftOut(path: string): boolean {
    return !this.#files.isSource(path) || relative(this.#folder, path).split(sep).length > 1;
  }
}
