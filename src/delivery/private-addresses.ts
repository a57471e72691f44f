import { lookup as systemLookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { ConfigurationError } from '../support/errors.js';
import { show } from '../support/validation.js';
import { addressIn } from './url.js';

/**
 * Networks as in `10.0.0.0/8`, or single addresses; `true` for what `PRIVATE` has.
 *
 * @inline
 */
export type AllowedAddresses = boolean | readonly string[];

/** The private networks of companies and clouds. */
const PRIVATE = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fc00::/7'];
const LOOPBACK = ['127.0.0.0/8', '::1'];

/**
 * Addresses that are not globally reachable, by IANA's registries of special-purpose addresses. Of IPv6 that is all but
 * 2000::/3, with IPv4 in its many disguises (mapped, NAT64), and of 2000::/3 what tunnels IPv4 or is for documentation.
 */
const NOT_PUBLIC = [
  ...PRIVATE,
  ...LOOPBACK,
  '0.0.0.0/8',
  '169.254.0.0/16',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
  '::/3',
  '4000::/2',
  '8000::/1',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
];

/** Lists of networks, one per family: a list for both would look IPv4 addresses up among the mapped ones of IPv6. */
class Networks {
  private readonly ipv4 = new BlockList();
  private readonly ipv6 = new BlockList();

  constructor(networks: readonly string[]) {
    for (const network of networks) {
      const [address = '', prefix] = network.split('/');
      const family = familyOf(address);
      const bits = prefix === undefined ? LONGEST[family] : Number(prefix);
      this[family].addSubnet(address, bits, family);
    }
  }

  include(address: string): boolean {
    if (isIP(address) === 4) return this.ipv4.check(address, 'ipv4');
    return this.ipv4.check(address, 'ipv6') || this.ipv6.check(address, 'ipv6');
  }
}

const LONGEST = { ipv4: 32, ipv6: 128 } as const;

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 4 ? 'ipv4' : 'ipv6';
}

const notPublic = new Networks(NOT_PUBLIC);

/** Tells whether something may be delivered to an address. */
export type AddressCheck = (address: string) => boolean;

/** Allows all public addresses and these. What is no address is not allowed, nor is one of a certain interface. */
export function addressCheck(allowed: AllowedAddresses, withLoopback: boolean): AddressCheck {
  const networks = typeof allowed === 'boolean' ? (allowed ? PRIVATE : []) : allowed;
  const also = new Networks([...networks, ...(withLoopback ? LOOPBACK : [])]);
  return (address) =>
    isIP(address) !== 0 && !address.includes('%') && (also.include(address) || !notPublic.include(address));
}

/** @throws ConfigurationError for what is no network */
export function checkNetworks(allowed: AllowedAddresses, name: string): void {
  if (typeof allowed === 'boolean') return;
  for (const [i, network] of allowed.entries()) {
    const [, address = '', prefix = '0'] = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(network) ?? [];
    if (isIP(address) === 0 || Number(prefix) > LONGEST[familyOf(address)]) {
      throw new ConfigurationError(
        `${name}.${i}: expected a network such as "10.0.0.0/8", got ${show(network)}`,
      );
    }
  }
}

/**
 * Checks a URL that names an address itself, in whatever spelling, or this machine.
 *
 * @throws ConfigurationError if nothing may be delivered there
 */
export function checkAddress(url: string, isAllowed: AddressCheck, name: string): void {
  const address = addressIn(url);
  if (address === undefined || isAllowed(address)) return;
  throw new ConfigurationError(
    `${name}: expected a public address, or one that "allowPrivateAddresses" allows, got ${show(address)}`,
  );
}

/** Tells whether this process runs in Lambda, where a loopback address is the function's own sandbox. */
export function isInLambda(): boolean {
  return process.env.AWS_LAMBDA_RUNTIME_API !== undefined;
}

/**
 * Finds addresses, and leaves out those that are not allowed. Names are checked here, when a connection is made, and
 * nowhere before: what a name leads to can change between a look at it and its use.
 */
export function checkedLookup(
  isAllowed: AddressCheck,
  lookup: LookupFunction = systemLookup,
): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, []);
      const all = typeof found === 'string' ? [{ address: found, family: isIP(found) }] : found;
      const allowed = all.filter(({ address }) => isAllowed(address));
      const [first] = allowed;
      if (!first) return callback(new PrivateAddressError(), []);
      if (options.all) return callback(null, allowed);
      callback(null, first.address, first.family);
    });
  };
}

class PrivateAddressError extends Error {
  readonly code = 'EPRIVATE';
}
