import { EVENT_SOURCE } from '../../src/record/index.js';
import { CLIENT_LIMITS } from '../intake/client-limits.js';
import { type OutgoingEvent, type Publish, publishInGroups } from './publish.js';
import { madeOnce, runtimeSdk } from './runtime-sdk.js';

/** The part of the SDK that is used. */
interface EventBridge {
  readonly EventBridgeClient: new (config: object) => { send(command: object): Promise<Answer> };
  readonly PutEventsCommand: new (input: { readonly Entries: readonly object[] }) => object;
}

interface Answer {
  readonly Entries?: readonly { readonly ErrorCode?: string; readonly ErrorMessage?: string }[] | undefined;
}

/** Puts events on an EventBridge bus. */
export function eventBus(
  bus: string,
  load = () => runtimeSdk<EventBridge>('@aws-sdk/client-eventbridge'),
): Publish {
  const connect = madeOnce(() => {
    const { EventBridgeClient, PutEventsCommand } = load();
    return { client: new EventBridgeClient(CLIENT_LIMITS), PutEventsCommand };
  });
  const send = async (some: readonly OutgoingEvent[]) => {
    const { client, PutEventsCommand } = connect();
    const Entries = some.map((event) => entryOf(event, bus));
    const answer = await client.send(new PutEventsCommand({ Entries }));
    return (answer.Entries ?? []).map(({ ErrorCode: code, ErrorMessage: message = '' }) =>
      code === undefined ? undefined : { code, message },
    );
  };
  return (events) => publishInGroups(events, send);
}

function entryOf({ type, detail }: OutgoingEvent, bus: string) {
  return { EventBusName: bus, Source: EVENT_SOURCE, DetailType: type, Detail: detail };
}
