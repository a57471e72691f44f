import type { Picture } from '../charts/picture.js';
import { checkWritable, writePicture } from '../charts/write-picture.js';
import { type Output, printable } from './output.js';

const OPTION = '--chart';

/** Draws a picture, if one is asked for, of what `work` comes to; whether its file can be written is found out before. */
export async function withChart<Result>(
  file: string | undefined,
  work: () => Promise<Result>,
  draw: (result: Result) => Promise<Picture>,
  output: Output,
): Promise<Result> {
  if (file === undefined) return work();
  await checkWritable(file, OPTION);
  const result = await work();
  await writePicture(file, await draw(result));
  output.message(`wrote ${printable(file)}`);
  return result;
}
