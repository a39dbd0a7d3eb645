import { BlockList, isIP } from 'node:net';

/** Networks that are nobody's public server (IANA special-purpose registries, RFC 6890 and successors). */
const NOT_PUBLIC_V4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  // A public address at which one cloud's machines find what is only for them.
  '168.63.129.16/32',
];

const NOT_PUBLIC_V6 = [
  // Of IPv6 only 2000::/3 is public (RFC 4291, section 2.4): this leaves out loopback, local, multicast, and the forms that carry an
  // IPv4 address inside, NAT64's among them (mapped ones are judged as what they carry).
  '::/3',
  '4000::/2',
  '8000::/1',
  // Protocol assignments, Teredo among them; 6to4; documentation.
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
];

/**
 * Reads comma separated networks in CIDR notation (a bare address is a network of one).
 * @throws RangeError for what is none
 */
export function parseNetworks(text: string): BlockList {
  const networks = new BlockList();
  for (const item of text.split(',')) if (item.trim() !== '') addNetwork(networks, item.trim());
  return networks;
}

function addNetwork(networks: BlockList, network: string): void {
  const slash = network.indexOf('/');
  const address = slash === -1 ? network : network.slice(0, slash);
  const family = isIP(address);
  const longest = family === 4 ? 32 : 128;
  const prefix = slash === -1 ? longest : Number(network.slice(slash + 1));
  if (family === 0 || network.endsWith('/') || !Number.isInteger(prefix) || prefix < 0 || prefix > longest) {
    throw new RangeError('not a network in CIDR notation');
  }
  networks.addSubnet(address, prefix, family === 4 ? 'ipv4' : 'ipv6');
}

// Apart: Node holds an IPv4 address against IPv6 networks too, as the mapped one.
const notPublic = {
  ipv4: parseNetworks(NOT_PUBLIC_V4.join(',')),
  ipv6: parseNetworks(NOT_PUBLIC_V6.join(',')),
};
const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/;

/**
 * Which addresses a provider's endpoint may have: public ones, and those of the networks that the operator allowed.
 * A provider's endpoint is untrusted input; without this it could make dispatch call anything inside.
 */
export class AddressRules {
  private readonly allowed: BlockList;

  /** @param allowedNetworks comma separated CIDRs that are permitted though not public */
  constructor(allowedNetworks: string) {
    this.allowed = parseNetworks(allowedNetworks);
  }

  /** @param address an IP address in text form; anything else is not permitted */
  permits(address: string): boolean {
    const plain = unmapped(address);
    const version = isIP(plain);
    if (version === 0) return false;
    const family = version === 4 ? 'ipv4' : 'ipv6';
    return this.allowed.check(plain, family) || !notPublic[family].check(plain, family);
  }
}

/** `::ffff:10.0.0.1`, in whichever spelling, is 10.0.0.1. */
function unmapped(address: string): string {
  if (!address.includes(':')) return address;
  const bare = address.split('%', 1)[0] ?? '';
  if (isIP(bare) !== 6) return address;
  // The URL parser knows every spelling and gives the shortest one.
  const canonical = new URL(`http://[${bare}]`).hostname.slice(1, -1);
  const dotted = MAPPED.exec(canonical)?.[1];
  if (dotted) return dotted;
  const hex = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(canonical);
  if (!hex) return bare;
  const [high, low] = [parseInt(hex[1] ?? '', 16), parseInt(hex[2] ?? '', 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}
