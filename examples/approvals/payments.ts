import { backlogHandler, Done, Pending, type Process } from 'dynamo-backlog/lambda';

interface Payment {
  readonly amount: number;
  readonly to: string;
}

/** Small payments are made at once. A large one waits until a person has approved it, two days at most. */
const pay: Process<Payment> = ({ payload }) => {
  if (payload.amount < 1000) return new Done({ result: { by: 'the rule for small payments' } });
  // A real one would ask for the approval here, and send `id` and `context.token` with the question.
  return new Pending({ timeout: '2d', reason: `waits for the approval of ${payload.amount}` });
};

export const handler = backlogHandler({ queue: 'payments', process: pay });
