import {
  type BacklogOperator,
  type CompletionResult,
  ConfigurationError,
  InvalidRecordError,
} from 'dynamo-backlog';

/** An end of an attempt, or a longer wait, as an operator gives it: the method of `BacklogOperator`, with its options. */
export type OutsideEndCall =
  | { readonly do: 'complete'; readonly options: NonNullable<Parameters<BacklogOperator['complete']>[1]> }
  | { readonly do: 'fail'; readonly options: Parameters<BacklogOperator['fail']>[1] }
  | { readonly do: 'heartbeat'; readonly options: NonNullable<Parameters<BacklogOperator['heartbeat']>[1]> };

/** @throws ConfigurationError for wrong options, and for a result that the record cannot keep */
export async function callOutsideEnd(
  operator: BacklogOperator,
  id: string,
  call: OutsideEndCall,
): Promise<CompletionResult> {
  try {
    if (call.do === 'complete') return await operator.complete(id, call.options);
    if (call.do === 'fail') return await operator.fail(id, call.options);
    return await operator.heartbeat(id, call.options);
  } catch (error) {
    if (!(error instanceof InvalidRecordError)) throw error;
    throw new ConfigurationError(error.message, { cause: error });
  }
}

const DONE = {
  complete: 'completed: it has succeeded',
  fail: 'failed: the next run of its queue writes that, and its policy says when it is attempted again',
  heartbeat: 'prolonged',
} as const;
const KEPT = {
  complete: 'its attempt goes on: that it is completed is written as the attempt settles',
  fail: 'its attempt goes on: the failure is written as the attempt settles',
  heartbeat: 'its attempt goes on: there is nothing to prolong yet',
} as const;
const REFUSED: Readonly<Record<NonNullable<CompletionResult['reason']>, string>> = {
  notFound: 'there is no such record',
  notWaiting: 'it does not wait for its end from outside',
  succeeded: 'it has succeeded already',
  dead: 'it is dead; backlog redrive has it attempted again',
  oldToken:
    'the attempt of this token is over, or its wait was ended; without a token, the present wait is meant',
  endedBefore: 'its attempt was ended differently before: the next run of its queue writes that',
  workChanged: 'it was changed since its attempt, and is attempted again at once',
  changedMeanwhile: 'others change it all the time: try again',
  newer: 'a newer version of dynamo-backlog wrote it: use the tools of that version',
};

/** The result of a call, behind the id: `completed: it has succeeded`, or `not completed: it is dead; …` */
export function outsideEndText(
  call: OutsideEndCall['do'],
  { accepted, kept, reason }: CompletionResult,
): string {
  if (accepted) return (kept ? KEPT : DONE)[call];
  const [verb] = DONE[call].split(':');
  return `not ${verb}: ${reason === undefined ? 'unknown' : REFUSED[reason]}`;
}
