import { describe, expect, it } from 'vitest';
import { parseQueueEvent, renderRedelivery } from '../../../functions/intake/queue-event.js';

/** https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html */
const SQS_BYTES = 256 * 1024;
const NOT_OF_SQS = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u;

describe('messages about records', () => {
  it.each([
    ['letters', 'i'],
    ['letters of two bytes', 'ü'],
    ['quotes, which JSON makes two characters of', '"'],
    ['characters that JSON makes six of', '\u0001'],
    ['characters that SQS refuses', '\uffff'],
  ])('of a hundred ids of 2,048 bytes, all %s, are what SQS takes', (_, character) => {
    const size = Buffer.byteLength(character);
    const ids = Array.from({ length: 100 }, (__, i) => String(i).padEnd(2 + (2046 - 2) / size, character));
    const bodies = renderRedelivery(ids);
    for (const body of bodies) {
      expect(Buffer.byteLength(body)).toBeLessThan(SQS_BYTES);
      expect(body).not.toMatch(NOT_OF_SQS);
    }
    const Records = bodies.map((body, i) => ({ eventSource: 'aws:sqs', messageId: `m${i}`, body }));
    const read = parseQueueEvent({ Records }).flatMap((message) =>
      message.type === 'redelivered' ? message.ids : [],
    );
    expect(read).toEqual(ids);
  });
});
