import type { Picture } from '../charts/picture.js';
import { checkWritable, pictureFormat, writePicture } from '../charts/write-picture.js';
import { CHART_PACKAGES, PNG_PACKAGES, requirePackages } from './optional-packages.js';
import { type Output, printable } from './output.js';

const OPTION = '--chart';

/**
 * Draws a picture, if one is asked for, of what `work` comes to; whether it can be drawn and written is found out
 * before.
 */
export async function withChart<Result>(
  file: string | undefined,
  work: () => Promise<Result>,
  draw: (result: Result) => Promise<Picture>,
  output: Output,
): Promise<Result> {
  if (file === undefined) return work();
  const isPng = pictureFormat(file) === '.png';
  requirePackages(OPTION, isPng ? { ...CHART_PACKAGES, ...PNG_PACKAGES } : CHART_PACKAGES);
  await checkWritable(file, OPTION);
  const result = await work();
  await writePicture(file, await draw(result));
  output.message(`wrote ${printable(file)}`);
  return result;
}
