import type { Context } from 'hono';
import type { ConsoleDeps } from './deps.js';
import { CSRF_FIELD, type FormGuard } from './security.js';

/** A form that was sent: its fields, or why it is refused. */
export type SentForm =
  | { readonly field: (name: string) => string; readonly all: (name: string) => readonly string[] }
  | { readonly refusal: string; readonly status: 400 | 403 };

/** Reads a form of the console, if actions are allowed and the form is the console's own. */
export async function readForm(
  request: Context,
  guard: FormGuard,
  { access }: ConsoleDeps,
): Promise<SentForm> {
  if (!access.write) return { refusal: `No action is possible: ${access.reason}`, status: 403 };
  const body = await request.req.parseBody({ all: true }).catch(() => undefined);
  if (body === undefined) return { refusal: 'The form cannot be read: its body is damaged.', status: 400 };
  const refusal = guard.refusal(request, body[CSRF_FIELD]);
  if (refusal !== undefined) return { refusal, status: 403 };
  const all = (name: string) => [body[name] ?? []].flat().filter((value) => typeof value === 'string');
  return { all, field: (name) => all(name)[0] ?? '' };
}
