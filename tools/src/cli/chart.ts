import { ConfigurationError } from 'dynamo-backlog';
import type { Picture } from '../charts/picture.js';
import type { Theme } from '../charts/theme.js';
import { checkWritable, pictureFormat, writePicture } from '../charts/write-picture.js';
import { type Output, printable } from './output.js';

const OPTION = '--chart';

/** The flags of a command that draws. */
export interface ChartFlags {
  readonly chart?: string | undefined;
  /** Default: what the viewer prefers; a PNG is light. */
  readonly theme?: Theme | undefined;
}

/** A command's work, and how its result is printed and drawn. */
interface Drawable<Result> {
  readonly work: () => Promise<Result>;
  readonly print: (result: Result) => void;
  readonly draw: (result: Result) => Promise<Picture>;
}

/**
 * Prints what `work` comes to, and draws a picture of it if one is asked for. Whether it can be drawn and written is
 * found out before. The figures have been printed when the writing fails after all.
 */
export async function withChart<Result>(
  { chart: file, theme }: ChartFlags,
  { work, print, draw }: Drawable<Result>,
  output: Output,
): Promise<void> {
  if (file === undefined) {
    if (theme !== undefined) throw new ConfigurationError('--theme: expected --chart FILE beside it');
    return print(await work());
  }
  const isPng = pictureFormat(file) === '.png';
  if (isPng && theme === 'auto') {
    throw new ConfigurationError('--theme: expected light or dark for a PNG, got auto');
  }
  await checkWritable(file, OPTION);
  const result = await work();
  print(result);
  await writePicture(file, await draw(result), { option: OPTION, theme });
  output.message(`wrote ${printable(file)}`);
}
