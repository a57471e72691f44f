import type { RunSummary } from '../src/worker/index.js';
import type { BacklogLambdaHandler } from './backlog-lambda-handler.js';
import { lambdaHandler } from './lambda-handler.js';
import type { HandlerChoices } from './plan.js';
import { type ChooseProcess, QueueFunction } from './queue-function.js';
import { announce, type ProcessSeams, type ReplaceSeams, SERVES, TOOL, type ToolContext } from './seams.js';

/**
 * The one shape of all handlers of queues: a handler of middy around the runs of an event. A tool that invokes it in place of
 * Lambda has it work on another store and clock.
 */
export function makeHandler(
  choose: ChooseProcess,
  choices: HandlerChoices,
  seams: ProcessSeams,
): BacklogLambdaHandler {
  const own = new QueueFunction(choose, choices, seams);
  const replaced = new WeakMap<ReplaceSeams, QueueFunction>();
  const functionFor = ({ [TOOL]: tool }: ToolContext): QueueFunction => {
    if (!tool) return own;
    const { replace } = tool;
    const known =
      replaced.get(replace) ?? new QueueFunction(choose, choices, { ...seams, ...replace(seams) });
    replaced.set(replace, known);
    return known;
  };

  const handler = lambdaHandler<RunSummary>(
    (context) => functionFor(context).logger,
    (event, context: ToolContext) => {
      const run = functionFor(context).handle(event, context);
      context[TOOL]?.reached(run);
      return run;
    },
  );
  const made = Object.assign(handler as BacklogLambdaHandler, { [SERVES]: choices.serves });
  announce(made);
  return made;
}
