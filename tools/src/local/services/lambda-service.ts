import type { LocalApp } from '../local-server.js';

export interface LambdaService {
  readonly has: (functionName: string) => boolean;
  /** Takes an event for later. */
  readonly start: (functionName: string, event: unknown) => void;
}

/**
 * The parts of Lambda's API that the functions use: asynchronous invocation, by which one starts another, and whether an
 * event source mapping works. Here, each does as long as the runtime does.
 */
export function serveLambda(app: LocalApp, { has, start }: LambdaService): void {
  app.post('/2015-03-31/functions/:name/invocations', async (context) => {
    const name = context.req.param('name');
    const refuse = (status: 400 | 404, type: string, Message: string) => {
      context.header('x-amzn-errortype', type);
      return context.json({ Type: 'User', Message }, status);
    };
    if (!has(name)) return refuse(404, 'ResourceNotFoundException', `the app has no function ${name}`);
    if (context.req.header('x-amz-invocation-type') !== 'Event') {
      const message = 'the local runtime starts functions asynchronously only (InvocationType: Event)';
      return refuse(400, 'InvalidParameterValueException', message);
    }
    const text = await context.req.text();
    try {
      start(name, text === '' ? {} : JSON.parse(text));
    } catch {
      return refuse(400, 'InvalidRequestContentException', 'the event is no JSON');
    }
    return context.body(null, 202);
  });
  app.get('/2015-03-31/event-source-mappings/:id', (context) =>
    context.json({ UUID: context.req.param('id'), State: 'Enabled', LastProcessingResult: 'OK' }),
  );
}
