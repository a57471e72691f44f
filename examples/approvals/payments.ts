import { backlogHandler, completionUrl, Done, Pending, type Process } from 'dynamo-backlog/lambda';

interface Payment {
  readonly amount: number;
  readonly to: string;
}

/** Small payments are made at once. A large one waits until a person has approved it, two days at most. */
const pay: Process<Payment> = async ({ id, payload }, { token }) => {
  if (payload.amount < 1000) return new Done({ result: { by: 'the rule for small payments' } });
  const question = `Pay ${payload.amount} to ${payload.to}?`;
  const url = await completionUrl(id, token, {
    question,
    answers: { Approve: 'complete', Reject: 'fail', 'Ask me later': 'heartbeat' },
    by: 'finance',
  });
  const { ok, status } = await fetch(process.env.CHAT_WEBHOOK ?? '', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ text: `${question} ${url}` }),
  });
  if (!ok) throw new Error(`the chat answered ${status}`);
  return new Pending({ timeout: '2d', reason: `waits for the approval of ${payload.amount}` });
};

export const handler = backlogHandler({ queue: 'payments', process: pay });
