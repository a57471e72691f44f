import { access, constants, stat, writeFile } from 'node:fs/promises';
import { dirname, extname } from 'node:path';
import { ConfigurationError } from 'dynamo-backlog';
import { show } from 'dynamo-backlog/engine';
import type { Picture } from './picture.js';
import type { Theme } from './theme.js';

export const FORMATS = ['.svg', '.html', '.png'] as const;
export type PictureFormat = (typeof FORMATS)[number];

/** The format of a picture by its file's ending; undefined for another ending. */
export function pictureFormat(file: string): PictureFormat | undefined {
  const ending = extname(file).toLowerCase();
  return FORMATS.find((format) => format === ending);
}

/**
 * Checks that a file can be written, before the work that it is for.
 *
 * @throws ConfigurationError naming `option`
 */
export async function checkWritable(file: string, option: string): Promise<void> {
  const there = await stat(file).catch(() => undefined);
  if (there?.isDirectory())
    throw new ConfigurationError(`${option}: expected a file, got the folder ${show(file)}`);
  try {
    await access(there ? file : dirname(file), constants.W_OK);
  } catch (error) {
    throw notWritable(file, option, error);
  }
}

function notWritable(file: string, option: string, cause: unknown): ConfigurationError {
  const { code } = cause as NodeJS.ErrnoException;
  const reason = code === 'ENOENT' ? 'there is no such folder' : `it cannot be written (${code})`;
  return new ConfigurationError(`${option}: ${JSON.stringify(file)}: ${reason}`, { cause });
}

/**
 * Writes a picture. An existing file is replaced.
 *
 * @param theme default: `auto`, which is light for a PNG
 * @throws ConfigurationError naming `option` if the file cannot be written
 */
export async function writePicture(
  file: string,
  picture: Picture,
  { option, theme = 'auto' }: { readonly option: string; readonly theme?: Theme | undefined },
): Promise<void> {
  const drawn = await render(pictureFormat(file), picture, theme);
  await writeFile(file, drawn).catch((error: unknown) => {
    throw notWritable(file, option, error);
  });
}

async function render(
  format: PictureFormat | undefined,
  picture: Picture,
  theme: Theme,
): Promise<string | Uint8Array> {
  const { toHtml, toSvg } = await import('./picture.js');
  switch (format) {
    case '.svg':
      return toSvg(picture, theme);
    case '.html':
      return toHtml(picture, theme);
    case '.png': {
      // This module takes a while to load, and few users need it.
      const { toPng } = await import('./png.js');
      return toPng(toSvg(picture, theme === 'auto' ? 'light' : theme));
    }
    default:
      throw new ConfigurationError(`expected a file that ends in ${FORMATS.join(', ')}`);
  }
}
