import { createHmac, timingSafeEqual } from 'node:crypto';
import * as z from 'zod/mini';

/** The effect of an answer: the method of `BacklogClient` that it calls. */
export type AnswerEffect = 'complete' | 'fail' | 'heartbeat';

/** The content of a link. All of it is signed: its holder can only choose one of the answers. */
export interface CompletionLink {
  /** The id of the record. */
  readonly id: string;
  /** The token of the attempt. */
  readonly token: string;
  /** The answers by their labels, in order. */
  readonly answers: ReadonlyMap<string, AnswerEffect>;
  /** The question of the page. Absent: the reason for which the record waits. */
  readonly question?: string | undefined;
  /** The person or system that the link is for. */
  readonly by?: string | undefined;
}

/** Signed with the content, so that no signature of anything else under the same secret is one of a link. */
const PURPOSE = 'dynamo-backlog completion URL 1';

const text = z.string().check(z.minLength(1));
const contentSchema = z.strictObject({
  id: text,
  token: text,
  answers: z.array(z.tuple([text, z.enum(['complete', 'fail', 'heartbeat'])])).check(z.minLength(1)),
  question: z.optional(text),
  by: z.optional(text),
});

/** The text of a link: its content as base64url, a dot, and an HMAC-SHA256 of that. */
export function signLink({ answers, ...rest }: CompletionLink, secret: string): string {
  const content = Buffer.from(JSON.stringify({ ...rest, answers: [...answers] })).toString('base64url');
  return `${content}.${signature(content, secret).toString('base64url')}`;
}

/** The content of a link that one of the secrets has signed. Undefined: it is no such link. */
export function readLink(link: string, secrets: readonly string[]): CompletionLink | undefined {
  const [content = '', given = ''] = link.split('.');
  const signed = Buffer.from(given, 'base64url');
  const isSigned = secrets.some((secret) => {
    const expected = signature(content, secret);
    return signed.length === expected.length && timingSafeEqual(signed, expected);
  });
  if (!isSigned) return undefined;
  const { data } = contentSchema.safeParse(JSON.parse(Buffer.from(content, 'base64url').toString()));
  return data && { ...data, answers: new Map(data.answers) };
}

function signature(content: string, secret: string): Buffer {
  return createHmac('sha256', secret).update(`${PURPOSE}.${content}`).digest();
}
