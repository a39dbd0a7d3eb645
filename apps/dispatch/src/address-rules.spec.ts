import { isIP } from 'node:net';
import { AddressRules, parseNetworks } from './address-rules';
import { endpointOf } from './provider-client/endpoint';

const nothingAllowed = new AddressRules('');

describe('AddressRules', () => {
  it.each([
    '127.0.0.1',
    '127.255.255.254',
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
    '192.0.2.1',
    '198.18.0.1',
    '::1',
    '::',
    'fe80::1',
    'fe80::1%eth0',
    'fc00::1',
    'fd12:3456::1',
    'ff02::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '0:0:0:0:0:ffff:a9fe:a9fe',
    '::127.0.0.1',
    '64:ff9b::10.0.0.1',
    '::ffff:0:10.0.0.1',
    '5f00::1',
    '2002:7f00:1::',
    '2001:db8::1',
    '2001:0:7f00:1::',
    '2001:10::1',
    '3fff::1',
    '64:ff9b::169.254.169.254',
    '64:ff9b:1::a00:1',
    '100::1',
    '4000::1',
    'fec0::1',
    'FE80::1',
    'FC00::A',
    '::FFFF:127.0.0.1',
    '0000:0000:0000:0000:0000:FFFF:7F00:0001',
    '::ffff:127.0.0.1%lo',
    'fd00:ec2::254',
    '100.100.100.200',
    '192.0.0.192',
    '168.63.129.16',
    '127.1',
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '127.0.0.1.',
    '１２７.0.0.1',
    'localhost',
    '',
    '1.2.3',
  ])('refuses %s', (address) => {
    expect(nothingAllowed.permits(address)).toBe(false);
  });

  it.each(['1.1.1.1', '8.8.8.8', '172.32.0.1', '2606:4700:4700::1111', '::ffff:1.1.1.1', '::ffff:808:808'])(
    'permits %s',
    (address) => {
      expect(nothingAllowed.permits(address)).toBe(true);
    },
  );

  it('permits what the operator allowed, and no more', () => {
    const rules = new AddressRules(' 127.0.0.0/8, ::1/128,10.1.0.0/16 ,192.168.7.9');
    for (const address of ['127.0.0.1', '::1', '10.1.2.3', '::ffff:127.0.0.1', '192.168.7.9', '1.1.1.1']) {
      expect(rules.permits(address)).toBe(true);
    }
    for (const address of ['10.2.0.1', '192.168.7.8', '169.254.169.254', 'fe80::1']) {
      expect(rules.permits(address)).toBe(false);
    }
  });

  it.each(['10.0.0.0/33', '10.0.0/8', 'fc00::/129', 'example.com', '10.0.0.0/', '10.0.0.0/-1', '10.0.0.0/x'])(
    'does not take %s for a network',
    (network) => {
      expect(() => parseNetworks(network)).toThrow(RangeError);
    },
  );
});

describe('an odd spelling in an endpoint', () => {
  const named = (host: string) => {
    const origin = endpointOf(`http://${host}/v1`)?.origin;
    return origin === undefined ? undefined : new URL(origin).hostname.replace(/^\[|\]$/g, '');
  };

  it.each([
    '127.1',
    '127.0.1',
    '2130706433',
    '0x7f000001',
    '0x7f.1',
    '0177.0.0.1',
    '017700000001',
    '127.0.0.1.',
    '１２７.０.０.１',
    '①②⑦.0.0.1',
    '127。0。0。1',
    '%31%32%37.0.0.1',
    '0xA9FEA9FE',
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[::FFFF:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::127.0.0.1]',
    '[64:ff9b::127.0.0.1]',
    '[2002:7f00:1::]',
  ])('%s is an address that is refused', (host) => {
    const hostname = named(host) ?? '';
    expect(isIP(hostname)).not.toBe(0);
    expect(nothingAllowed.permits(hostname)).toBe(false);
  });

  it.each(['[fe80::1%25eth0]', '[::1', '256.0.0.1', '1.2.3.4.5.0x7f', '127.0.0.1%00', 'a b'])(
    '%s is no endpoint',
    (host) => {
      expect(named(host)).toBeUndefined();
    },
  );
});
