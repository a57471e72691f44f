import { ConfigurationError } from 'dynamo-backlog';

const KEPT = 'All that was accepted before is kept.';

interface Kind {
  /** Codes of the system, and what LevelDB writes in its messages in their place. */
  readonly sign: RegExp;
  readonly reason: string;
  readonly advice: string;
}

const KINDS: readonly Kind[] = [
  {
    sign: /ENOSPC|EDQUOT|No space left on device|quota exceeded/i,
    reason: 'its disk is full',
    advice: `${KEPT} Free some space, or copy the folder to a larger disk, and start again`,
  },
  {
    sign: /EROFS|EACCES|EPERM|Read-only file system|Permission denied|Operation not permitted/i,
    reason: 'this user may not write to it',
    advice: `${KEPT} Make it writable, and start again`,
  },
  {
    sign: /ENOENT|ESTALE|No such file or directory|Stale file handle/i,
    reason: 'it was removed or replaced while it was in use',
    advice: 'Put it back, or begin with another folder',
  },
  {
    sign: /LEVEL_CORRUPTION|LEVEL_DECODE_ERROR|Corruption/,
    reason: 'files in it are damaged',
    advice: 'Put a copy of the folder in its place, or begin with another folder',
  },
];

/**
 * Explains what is wrong with a folder, and what to do. It shows no more of the error than its code and a file's path.
 */
export function folderTrouble(folder: string, error: unknown): ConfigurationError {
  const all = causesOf(error);
  const text = all.map(({ code, message }) => `${code ?? ''} ${message}`).join(' ');
  const kind = KINDS.find(({ sign }) => sign.test(text));
  const code = all.map((one) => one.code).findLast((one) => one !== undefined);
  const path = /(?:IO error|Corruption): ([^:]+):/.exec(text)?.[1];
  const details = [code, path].filter((part) => part !== undefined).join(', ');
  const reason = kind?.reason ?? 'it cannot be used';
  const message = `the data in ${folder} cannot be used: ${reason}${details === '' ? '' : ` (${details})`}`;
  return new ConfigurationError(kind ? `${message}. ${kind.advice}` : message, { cause: error });
}

function causesOf(error: unknown): NodeJS.ErrnoException[] {
  if (!(error instanceof Error)) return [];
  return [error, ...causesOf(error.cause)];
}
