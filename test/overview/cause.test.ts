import { describe, expect, it } from 'vitest';
import { causeOf, causeText, hasCause } from '../../src/operate/cause.js';

const of = (message: string, name = 'HttpError') => causeText(causeOf({ name, message }));

describe('the cause of a failure', () => {
  it.each([
    ['HTTP 503 from https://erp.example.com: {"error":"down"}', 'HttpError 503 erp.example.com'],
    [
      'HTTP 302 from https://a.example to https://b.example: redirects are not followed',
      'HttpError 302 a.example',
    ],
    ['no answer from http://127.0.0.1:8080: connection refused (ECONNREFUSED)', 'HttpError 127.0.0.1:8080'],
    ['Request failed with status code 429', 'HttpError 429 no host'],
    ['the ERP answered 503', 'HttpError 503 no host'],
    ['503 Service Unavailable', 'HttpError 503 no host'],
    ['422: unknown article 7791-B', 'HttpError 422 no host'],
    ['PUT https://me:secret@ERP.example.com./orders/503 failed', 'HttpError erp.example.com'],
    ['getaddrinfo ENOTFOUND erp.example.com', 'HttpError erp.example.com'],
    ['connect ECONNREFUSED 10.0.3.17:443', 'HttpError no host'],
    ['500 records are too many, and 404 of them are old', 'HttpError no host'],
    ['HTTP 200, and still wrong', 'HttpError no host'],
    ['https://[::1]:8080/ is away', 'HttpError [::1]:8080'],
    ['', 'HttpError no host'],
  ])('%s', (message, text) => {
    expect(of(message)).toBe(text);
  });

  it('is named by its class, by class and status, or in full', () => {
    const failure = { name: 'HttpError', message: 'HTTP 503 from https://erp.example.com' };
    const has = (text: string) => hasCause(failure, text);
    expect(['HttpError', 'HttpError 503', 'HttpError 503 erp.example.com'].map(has)).toEqual([
      true,
      true,
      true,
    ]);
    const others = ['Http', 'HttpError 50', 'HttpError no host', 'HttpError 503 erp', 'erp.example.com', ''];
    expect(others.filter(has)).toEqual([]);
    expect(hasCause(undefined, 'HttpError')).toBe(false);
  });

  it('without a host is another one than the same class with a host', () => {
    const timeout = { name: 'AttemptTimeout', message: 'no answer within 10 s' };
    expect(hasCause(timeout, 'AttemptTimeout no host')).toBe(true);
    expect(hasCause({ ...timeout, message: 'https://erp.example is slow' }, 'AttemptTimeout no host')).toBe(
      false,
    );
  });

  it('has a host of plain letters, and not a longer one than a name can be', () => {
    expect(of('https://erp\u202Eexample.com/')).toBe('HttpError erp');
    expect(of(`https://${'a'.repeat(5_000)}/`)).toHaveLength('HttpError '.length + 100);
  });
});
