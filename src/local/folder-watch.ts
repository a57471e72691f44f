import { stat } from 'node:fs/promises';

export interface FolderWatchOptions {
  /** A file that stays as long as the folder is in use. */
  readonly file: string;
  /** It has gone, or is another one. */
  readonly onGone: (error: Error) => void;
  /** Names the file as it is now. Default: by its number on its disk. */
  readonly identify?: ((file: string) => Promise<string>) | undefined;
}

/** In real time. */
const LOOK_EVERY_MS = 1_000;

/**
 * Looks whether a folder is still there. A database goes on writing into files that were removed, without an error;
 * what it accepted would be gone at its end.
 *
 * @returns ends the watch
 */
export async function watchFolder({ file, onGone, identify = numberOf }: FolderWatchOptions) {
  const first = await identify(file);
  const timer = setInterval(async () => {
    const error = await identify(file).then(
      (now) => (now === first ? undefined : new Error(`ENOENT: ${file} was replaced`)),
      (reason: Error) => reason,
    );
    if (!error) return;
    clearInterval(timer);
    onGone(error);
  }, LOOK_EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}

async function numberOf(file: string): Promise<string> {
  const { dev, ino } = await stat(file, { bigint: true });
  return `${dev}/${ino}`;
}
