import type { LookupFunction } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { deliverByHttp, type HttpDeliveryOptions } from '../../src/delivery/index.js';
import { addressCheck, checkedLookup } from '../../src/delivery/private-addresses.js';
import { attempt, listen } from './support.js';

const PRIVATE_NETWORKS = [
  '10.0.0.1',
  '10.255.255.255',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '100.64.0.1',
];
const OTHERS = [
  ...['127.0.0.1', '127.255.255.254', '0.0.0.0', '0.1.2.3', '169.254.169.254', '169.254.0.1', '224.0.0.1'],
  ...[
    '239.255.255.255',
    '240.0.0.1',
    '255.255.255.255',
    '192.0.0.8',
    '192.0.2.1',
    '192.88.99.1',
    '198.18.0.1',
    '203.0.113.7',
  ],
];
const IPV6 = [
  ...['::', '::1', 'fe80::1', 'febf::1', 'fec0::1', 'ff02::1', '2001:db8::1', '2001::1', '2002:7f00:1::'],
  ...[
    '::ffff:127.0.0.1',
    '::ffff:10.0.0.1',
    '::ffff:169.254.169.254',
    '::ffff:8.8.8.8',
    '::127.0.0.1',
    '::8.8.8.8',
  ],
  ...[
    '64:ff9b::7f00:1',
    '64:ff9b::808:808',
    '64:ff9b:1::1',
    '100::1',
    '4000::1',
    '5f00::1',
    '3fff::1',
    '8000::1',
    'e000::1',
  ],
];
const PUBLIC = [
  '8.8.8.8',
  '1.1.1.1',
  '100.63.255.255',
  '100.128.0.1',
  '172.15.0.1',
  '172.32.0.1',
  '223.255.255.1',
];
const PUBLIC_IPV6 = ['2001:4860:4860::8888', '2606:4700::1111', '2a00:1450::1', '2600:1f18::1', '3ffe::1'];

describe('addresses', () => {
  const isPublic = addressCheck(false, false);
  it.each([...PRIVATE_NETWORKS, ...OTHERS, ...IPV6, 'fc00::1', 'fdff::1', 'fd00:ec2::254'])(
    '%s is not public',
    (address) => expect(isPublic(address)).toBe(false),
  );

  it.each([...PUBLIC, ...PUBLIC_IPV6])('%s is public', (address) => expect(isPublic(address)).toBe(true));

  it.each([
    '',
    'localhost',
    'erp.example.com',
    '1.2.3',
    '0x7f.1',
    '2600::1%eth0',
    'fe80::1%eth0',
    '8.8.8.8 ',
  ])('"%s" is no address to connect to', (address) => {
    expect(isPublic(address)).toBe(false);
    expect(addressCheck(['0.0.0.0/0', '::/0'], true)(address)).toBe(false);
  });

  it('true allows private networks, and neither this machine nor metadata nor what hides an address', () => {
    const isAllowed = addressCheck(true, false);
    for (const address of [...PRIVATE_NETWORKS, 'fc00::1', 'fd12::1', ...PUBLIC]) {
      expect(isAllowed(address), address).toBe(true);
    }
    for (const address of [...OTHERS, ...IPV6.filter((one) => one !== '::ffff:10.0.0.1')]) {
      expect(isAllowed(address), address).toBe(false);
    }
  });

  it('a list allows what it has, in either family, and nothing else', () => {
    const isAllowed = addressCheck(['10.1.0.0/16', '192.168.7.7', 'fd00:1::/32', '64:ff9b::/96'], false);
    for (const address of [
      '10.1.2.3',
      '192.168.7.7',
      '::ffff:10.1.2.3',
      'fd00:1::9',
      '64:ff9b::808:808',
      '8.8.8.8',
    ]) {
      expect(isAllowed(address), address).toBe(true);
    }
    for (const address of ['10.2.0.1', '192.168.7.8', '::ffff:10.2.0.1', 'fd00:2::1', '127.0.0.1', '::1']) {
      expect(isAllowed(address), address).toBe(false);
    }
  });
});

it('hands out none of the other addresses of a name that leads to an allowed one', () => {
  const lookup = checkedLookup(addressCheck(false, false), resolving('10.0.0.5', '93.184.216.34', '::1'));
  let found: unknown;
  const note = (_: unknown, addresses: unknown) => {
    found = addresses;
  };
  lookup('erp.example.com', { all: true }, note as never);
  expect(found).toEqual([{ address: '93.184.216.34', family: 4 }]);
  lookup('erp.example.com', {}, note as never);
  expect(found).toBe('93.184.216.34');
});

/** A resolver as a test wants it: whatever is asked, these addresses. */
function resolving(...addresses: string[]): LookupFunction & { asked: string[] } {
  const asked: string[] = [];
  const lookup: LookupFunction = (hostname, _options, callback) => {
    asked.push(hostname);
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  };
  return Object.assign(lookup, { asked });
}

describe('a name', () => {
  it.each(['127.0.0.1', '10.0.0.5', '169.254.169.254', '::1', '::ffff:127.0.0.1', 'fe80::1'])(
    'that leads to %s is a failure, which does not name the address, and reaches no server',
    async (address) => {
      await using server = await listen((_request, response) => response.end());
      const { port } = new URL(server.origin);
      const lookup = resolving(address);
      const ending = await attempt(deliverByHttp({ url: `https://erp.example.com:${port}/secret`, lookup }));
      expect(ending).toMatchObject({
        error: {
          name: 'NetworkError',
          code: 'EPRIVATE',
          message: `no answer from https://erp.example.com:${port}: the name leads to a private address, which "allowPrivateAddresses" does not allow (EPRIVATE)`,
        },
      });
      expect(lookup.asked).toEqual(['erp.example.com']);
      expect(server.sockets.size).toBe(0);
    },
  );

  it('is looked up for each connection: one that leads elsewhere the second time is refused then', async () => {
    await using server = await listen((_request, response) =>
      response.writeHead(200, { connection: 'close' }).end(),
    );
    const answers = ['127.0.0.1', '10.0.0.5'];
    const lookup: LookupFunction = (hostname, options, callback) =>
      resolving(answers.shift() ?? '10.0.0.5')(hostname, options, callback);
    const deliver = deliverByHttp({ url: server.origin.replace('127.0.0.1', 'localhost'), lookup });
    expect(await attempt(deliver)).toEqual({ ok: true });
    expect(await attempt(deliver)).toMatchObject({ error: { code: 'EPRIVATE' } });
    expect(server.received).toHaveLength(1);
  });

  it('with allowed addresses among others is delivered to those', async () => {
    await using server = await listen((_request, response) => response.end());
    const url = server.origin.replace('127.0.0.1', 'localhost');
    const lookup = resolving('10.0.0.5', '169.254.169.254', '127.0.0.1');
    expect(await attempt(deliverByHttp({ url, lookup }))).toEqual({ ok: true });
    expect(server.received).toHaveLength(1);
  });

  it('that ends in localhost is no name of this machine, wherever it leads', async () => {
    const lookup = resolving('127.0.0.1');
    for (const host of ['localhost.', 'erp.localhost', 'localhost.example.com', '127.0.0.1.nip.io']) {
      const deliver = deliverByHttp({ url: `https://${host}/`, lookup });
      expect(await attempt(deliver), host).toMatchObject({ error: { code: 'EPRIVATE' } });
    }
  });

  it('that is not found stays what it is', async () => {
    const lookup: LookupFunction = (_hostname, _options, callback) => {
      callback(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }), []);
    };
    expect(await attempt(deliverByHttp({ url: 'https://erp.example.com/', lookup }))).toMatchObject({
      error: { code: 'ENOTFOUND' },
    });
  });

  it('without any address is a failure', async () => {
    expect(
      await attempt(deliverByHttp({ url: 'https://erp.example.com/', lookup: resolving() })),
    ).toMatchObject({
      error: { code: 'EPRIVATE' },
    });
  });
});

describe('a URL with an address in it', () => {
  it.each([
    ['https://10.0.0.1/', '10.0.0.1'],
    ['https://169.254.169.254/latest/meta-data', '169.254.169.254'],
    ['https://0xA9FEA9FE/', '169.254.169.254'],
    ['https://2852039166/', '169.254.169.254'],
    ['https://0251.0376.0251.0376/', '169.254.169.254'],
    ['https://10.1/', '10.0.0.1'],
    ['https://①⓪.0.0.1/', '10.0.0.1'],
    ['https://10.0.0.1./', '10.0.0.1'],
    ['https://0.0.0.0/', '0.0.0.0'],
    ['https://[::]/', '::'],
    ['https://[fe80::1]/', 'fe80::1'],
    ['https://[::ffff:10.0.0.1]/', '::ffff:a00:1'],
    ['https://[::ffff:127.0.0.1]/', '::ffff:7f00:1'],
    ['https://[fd00:ec2::254]/', 'fd00:ec2::254'],
    ['https://[64:ff9b::a9fe:a9fe]/', '64:ff9b::a9fe:a9fe'],
  ])('%s is refused at once', (url, address) => {
    expect(() => deliverByHttp({ url })).toThrow(
      `deliverByHttp.url: expected a public address, or one that "allowPrivateAddresses" allows, got "${address}"`,
    );
  });

  it('may be public, or allowed', () => {
    expect(() => deliverByHttp({ url: 'https://8.8.8.8/' })).not.toThrow();
    expect(() => deliverByHttp({ url: 'https://[2606:4700::1111]/' })).not.toThrow();
    expect(() => deliverByHttp({ url: 'https://10.0.0.1/', allowPrivateAddresses: true })).not.toThrow();
    const allowPrivateAddresses = ['169.254.0.0/16', 'fe80::/10'];
    expect(() => deliverByHttp({ url: 'https://169.254.1.1/', allowPrivateAddresses })).not.toThrow();
    expect(() => deliverByHttp({ url: 'https://[fe80::1]/', allowPrivateAddresses })).not.toThrow();
  });
});

describe('in Lambda, this machine', () => {
  afterEach(() => void vi.unstubAllEnvs());

  it.each(['http://127.0.0.1:9001/', 'http://localhost:9001/', 'http://[::1]:9001/', 'https://localhost/'])(
    '%s is refused, unless it is allowed by its address',
    (url) => {
      vi.stubEnv('AWS_LAMBDA_RUNTIME_API', '127.0.0.1:9001');
      expect(() => deliverByHttp({ url })).toThrow('deliverByHttp.url: expected a public address');
      expect(() => deliverByHttp({ url, allowPrivateAddresses: true })).toThrow('expected a public address');
      expect(() => deliverByHttp({ url, allowPrivateAddresses: ['127.0.0.0/8', '::1'] })).not.toThrow();
    },
  );

  it('is delivered to where it is allowed', async () => {
    vi.stubEnv('AWS_LAMBDA_RUNTIME_API', '127.0.0.1:9001');
    await using server = await listen((_request, response) => response.end());
    const deliver = deliverByHttp({ url: server.url, allowPrivateAddresses: ['127.0.0.1'] });
    expect(await attempt(deliver)).toEqual({ ok: true });
  });
});

describe('a redirect', () => {
  it('to a private address is not followed, like any other', async () => {
    await using target = await listen((_request, response) => response.end('secret of this machine'));
    await using server = await listen((_request, response) =>
      response.writeHead(307, { location: target.url }).end(),
    );
    const ending = await attempt(deliverByHttp({ url: server.url }));
    expect(ending).toMatchObject({ error: { name: 'Dead' } });
    expect(target.sockets.size + target.received.length).toBe(0);
  });
});

describe('an invalid list of private networks', () => {
  it.each([
    ['yes', ': expected true, false, or a list of networks such as "10.0.0.0/8", got "yes"'],
    [[10], ': expected true, false, or a list of networks such as "10.0.0.0/8", got [10]'],
    [['10.0.0.0/33'], '.0: expected a network such as "10.0.0.0/8", got "10.0.0.0/33"'],
    [['fd00::/129'], '.0: expected a network such as "10.0.0.0/8", got "fd00::/129"'],
    [['8.8.8.8', 'erp.example.com'], '.1: expected a network such as "10.0.0.0/8", got "erp.example.com"'],
    [['10.0.0.0/8/9'], '.0: expected a network such as'],
    [['10.0.0.0/'], '.0: expected a network such as'],
    [['fe80::1%eth0'], '.0: expected a network such as'],
    [[''], '.0: expected a network such as'],
  ])('%j is refused', (allowPrivateAddresses, message) => {
    const options = { url: 'https://erp.example.com/', allowPrivateAddresses } as HttpDeliveryOptions;
    expect(() => deliverByHttp(options)).toThrow(`deliverByHttp.allowPrivateAddresses${message}`);
  });
});
