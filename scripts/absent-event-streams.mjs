/**
 * Stands in the handlers' bundles for the SDK's event streams: clients configure them, the SDK loads them when an
 * answer is one, and no command of ours has such an answer.
 */
export function resolveEventStreamSerdeConfig(config) {
  return Object.assign(config, { eventStreamMarshaller: undefined });
}

export const eventStreamSerdeProvider = () => undefined;

export class EventStreamSerde {
  constructor() {
    throw new Error('event streams are not in the bundle');
  }
}
