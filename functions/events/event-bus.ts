import { EVENT_SOURCE } from '../../src/record/index.js';
import { CLIENT_LIMITS } from '../service-limits.js';
import { type OutgoingEvent, type Publish, publishInGroups, type Refusal } from './publish.js';
import { madeOnce, runtimeSdk } from './runtime-sdk.js';

/** The part of the SDK that is used. */
interface EventBridge {
  readonly EventBridgeClient: new (config: object) => { send(command: object): Promise<Answer> };
  readonly PutEventsCommand: new (input: { readonly Entries: readonly object[] }) => object;
}

interface AnsweredEntry {
  readonly ErrorCode?: string | undefined;
  readonly ErrorMessage?: string | undefined;
}

interface Answer {
  readonly Entries?: readonly AnsweredEntry[] | undefined;
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
    return some.map((_, i) => refusalIn(answer.Entries?.[i]));
  };
  return (events) => publishInGroups(events, send);
}

/** The refusal of an event. One that the bus does not answer for may not have been taken. */
function refusalIn(entry: AnsweredEntry | undefined): Refusal | undefined {
  if (entry === undefined) return { code: 'NoAnswer', message: 'the bus has not answered for this event' };
  const { ErrorCode: code, ErrorMessage: message = '' } = entry;
  return code === undefined ? undefined : { code, message };
}

function entryOf({ type, detail }: OutgoingEvent, bus: string) {
  return { EventBusName: bus, Source: EVENT_SOURCE, DetailType: type, Detail: detail };
}
