import { ConfigurationError } from '../../errors.js';
import type { Picture } from '../charts/picture.js';
import type { Theme } from '../charts/theme.js';
import { checkWritable, pictureFormat, writePicture } from '../charts/write-picture.js';
import { CHART_PACKAGES, PNG_PACKAGES, requirePackages } from './optional-packages.js';
import { type Output, printable } from './output.js';

const OPTION = '--chart';

/** The flags of a command that draws. */
export interface ChartFlags {
  readonly chart?: string | undefined;
  /** Default: what the viewer prefers; a PNG is light. */
  readonly theme?: Theme | undefined;
}

/**
 * Draws a picture, if one is asked for, of what `work` comes to; whether it can be drawn and written is found out
 * before.
 */
export async function withChart<Result>(
  { chart: file, theme }: ChartFlags,
  work: () => Promise<Result>,
  draw: (result: Result) => Promise<Picture>,
  output: Output,
): Promise<Result> {
  if (file === undefined) {
    if (theme !== undefined) throw new ConfigurationError('--theme: expected --chart FILE beside it');
    return work();
  }
  const isPng = pictureFormat(file) === '.png';
  if (isPng && theme === 'auto') {
    throw new ConfigurationError('--theme: expected light or dark for a PNG, got auto');
  }
  requirePackages(OPTION, isPng ? { ...CHART_PACKAGES, ...PNG_PACKAGES } : CHART_PACKAGES);
  await checkWritable(file, OPTION);
  const result = await work();
  await writePicture(file, await draw(result), theme);
  output.message(`wrote ${printable(file)}`);
  return result;
}
