import { describe, expect, it } from 'vitest';
import { parseDeliveryUrl } from '../../src/delivery/index.js';
import { ConfigurationError } from '../../src/support/errors.js';

describe('where records may be delivered', () => {
  it.each([
    ['https://erp.example.com/orders?key=1', 'https://erp.example.com/orders?key=1'],
    ['https://erp.example.com', 'https://erp.example.com/'],
    ['HTTPS://ERP.example.com:8443/', 'https://erp.example.com:8443/'],
    ['http://127.0.0.1:8080/', 'http://127.0.0.1:8080/'],
    ['http://127.8.9.10/', 'http://127.8.9.10/'],
    ['http://[::1]:3000/', 'http://[::1]:3000/'],
    ['http://localhost/', 'http://localhost/'],
    ['http://LOCALHOST/', 'http://localhost/'],
    // Other ways to write 127.0.0.1
    ['http://2130706433/', 'http://127.0.0.1/'],
    ['http://0x7f.1/', 'http://127.0.0.1/'],
    ['http://[0:0:0:0:0:0:0:1]/', 'http://[::1]/'],
  ])('%s may be', (text, url) => {
    expect(parseDeliveryUrl(text, 'deliverTo')).toBe(url);
  });

  it.each([
    'http://erp.example.com/',
    'http://127.0.0.1.evil.example/',
    'http://127.0.0.1evil.example/',
    'http://localhost.evil.example/',
    'http://evil.example/127.0.0.1',
    'http://evil.example#127.0.0.1',
    'http://evil.example?@127.0.0.1',
    'http://127.0.0.1@evil.example/',
    'http://localhost:80@evil.example/',
    'http://evil.example\\@127.0.0.1/',
    'http://128.0.0.1/',
    'http://0.0.0.0/',
    'http://0/',
    'http://10.0.0.1/',
    'http://169.254.169.254/latest/meta-data',
    'http://[::]/',
    'http://[::2]/',
    'http://[::ffff:10.0.0.1]/',
    'http://localhost./',
    'http://notlocalhost/',
    'ftp://127.0.0.1/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'data:text/plain,hi',
    'https://user:password@erp.example.com/',
    'https://user@erp.example.com/',
    'https://erp.example.com/#part',
    'https://erp.example.com/a b',
    'https://erp.exa\nmple.com/',
    ' https://erp.example.com/',
    'https://',
    'erp.example.com',
    '//erp.example.com',
    '/orders',
    '',
  ])('%j may not be', (text) => {
    expect(() => parseDeliveryUrl(text, 'deliverTo')).toThrow(/^deliverTo: expected /);
  });

  it.each([
    [
      'http://erp.example.com/secret?secret',
      'deliverTo: expected an https URL (http only to 127.0.0.1, [::1] or localhost), got "http://erp.example.com…"',
    ],
    [
      'https://user:secret@erp.example.com/secret',
      'deliverTo: expected a URL without a user name or password, got "https://…@erp.example.com…"',
    ],
    ['erp', 'deliverTo: expected a URL such as https://erp.example.com/orders, got "erp"'],
    [
      'https://erp.example.com/a secret',
      'deliverTo: expected a URL such as https://erp.example.com/orders, got "https://erp.example.com…"',
    ],
  ])('the error for %j shows scheme and host at most', (text, message) => {
    expect(() => parseDeliveryUrl(text, 'deliverTo')).toThrow(new ConfigurationError(message));
  });

  it('what is no text at all is refused', () => {
    expect(() => parseDeliveryUrl(undefined as never, 'deliverTo')).toThrow('got nothing');
    expect(() => parseDeliveryUrl(7 as never, 'deliverTo')).toThrow('got a number');
  });
});
