import { extname } from 'node:path';

export const FORMATS = ['.svg', '.html', '.png'] as const;
export type PictureFormat = (typeof FORMATS)[number];

/** By the file's ending. */
export function pictureFormat(file: string): PictureFormat | undefined {
  const ending = extname(file).toLowerCase();
  return FORMATS.find((format) => format === ending);
}
