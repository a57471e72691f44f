import { createRequire } from 'node:module';
import type { IncidentEvent } from '../../src/overview/incident-events.js';
import { CLIENT_LIMITS } from '../intake/client-limits.js';

/** Puts events on the bus, and returns those that it has refused. */
export type PutEvents = (events: readonly IncidentEvent[]) => Promise<ReadonlySet<IncidentEvent>>;

/** The part of `@aws-sdk/client-eventbridge` that is used. */
interface EventBridge {
  readonly EventBridgeClient: new (config: object) => { send(command: object): Promise<Answer> };
  readonly PutEventsCommand: new (input: { readonly Entries: readonly object[] }) => object;
}

interface Answer {
  readonly Entries?: readonly { readonly ErrorCode?: string | undefined }[] | undefined;
}

/** https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEvents.html */
const MAX_ENTRIES = 10;
/** It is in Lambda's runtime, and no dependency: most backlogs have no bus. */
const SDK = '@aws-sdk/client-eventbridge';

/** Lambda has it in a folder of NODE_PATH, where `require` looks; an `import` does so in Lambda's own build of Node.js alone. */
const loadSdk = () => createRequire(import.meta.url)(SDK) as EventBridge;

export function eventBus(bus: string, load: () => EventBridge = loadSdk): PutEvents {
  return async (events) => {
    const { EventBridgeClient, PutEventsCommand } = load();
    const client = new EventBridgeClient(CLIENT_LIMITS);
    const refused = new Set<IncidentEvent>();
    for (let first = 0; first < events.length; first += MAX_ENTRIES) {
      const some = events.slice(first, first + MAX_ENTRIES);
      const answer = await client.send(
        new PutEventsCommand({ Entries: some.map((event) => entryOf(event, bus)) }),
      );
      for (const [i, { ErrorCode }] of (answer.Entries ?? []).entries()) {
        const event = some[i];
        if (ErrorCode !== undefined && event) refused.add(event);
      }
    }
    return refused;
  };
}

function entryOf({ type, detail }: IncidentEvent, bus: string) {
  const text = JSON.stringify(detail);
  return {
    EventBusName: bus,
    Source: 'dynamo-backlog',
    DetailType: `Backlog incident ${type}`,
    Detail: text,
  };
}
