import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { ADDRESS_REFUSED, AddressGuard } from './address-guard.service';
import { NameResolver, hostsOf } from './name-resolver.service';

/** A guard for which every name has these addresses. */
function guardOf(addresses: LookupAddress[]): AddressGuard {
  const names = new NameResolver();
  jest.spyOn(names, 'addressesOf').mockResolvedValue(addresses);
  return new AddressGuard({ providerAllowedNetworks: '10.9.0.0/16' }, names);
}

const allowed = { address: '10.9.0.1', family: 4 };
const open = { address: '2606:4700::1', family: 6 };
const inside = { address: '169.254.169.254', family: 4 };

function lookUp(guard: AddressGuard, options: object): Promise<unknown[]> {
  return new Promise((resolve) => guard.lookup('provider.example', options, (...told) => resolve(told)));
}

describe('AddressGuard', () => {
  it('tells the addresses of a name that has permitted ones only', async () => {
    const guard = guardOf([allowed, open]);
    expect(await lookUp(guard, { all: true })).toEqual([null, [allowed, open]]);
    expect(await lookUp(guard, {})).toEqual([null, allowed.address, 4]);
    expect(await guard.judge('provider.example')).toBe('permitted');
  });

  it.each([[[inside]], [[open, inside]], [[inside, allowed]]])(
    'refuses a name that has %j',
    async (addresses) => {
      const guard = guardOf(addresses);
      expect(await lookUp(guard, { all: true })).toEqual([
        expect.objectContaining({ code: ADDRESS_REFUSED }),
        [],
      ]);
      expect(await guard.judge('provider.example')).toBe('refused');
    },
  );

  it('says of a name without addresses that it has none', async () => {
    const guard = guardOf([]);
    expect(await lookUp(guard, {})).toEqual([expect.objectContaining({ code: 'ENOTFOUND' }), []]);
    expect(await guard.judge('provider.example')).toBe('unresolved');
  });

  it('judges each connection anew: a name that answers otherwise the second time is refused then', async () => {
    const names = new NameResolver();
    jest.spyOn(names, 'addressesOf').mockResolvedValueOnce([open]).mockResolvedValueOnce([inside]);
    const guard = new AddressGuard({ providerAllowedNetworks: '' }, names);
    expect(await guard.judge('rebinding.example')).toBe('permitted');
    expect(await lookUp(guard, { all: true })).toEqual([
      expect.objectContaining({ code: ADDRESS_REFUSED }),
      [],
    ]);
  });
});

describe('NameResolver', () => {
  const file =
    '127.0.0.1 localhost\n::1\tlocalhost ip6-localhost # comment\n# 10.0.0.1 hidden\nbroken line\n';

  it('reads the hosts file', () => {
    expect(hostsOf(file, 'LocalHost.')).toEqual([
      { address: '127.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ]);
    for (const name of ['hidden', 'line', '127.0.0.1', '']) expect(hostsOf(file, name)).toEqual([]);
  });

  it('asks once for a name that many wait for, and finds none where no server answers', async () => {
    const [resolve4, resolve6] = (['resolve4', 'resolve6'] as const).map((method) =>
      jest.spyOn(Resolver.prototype, method).mockRejectedValue(new Error('ETIMEOUT')),
    );
    const names = new NameResolver();
    const found = await Promise.all([1, 2, 3].map(() => names.addressesOf('slow.example')));
    expect(found).toEqual([[], [], []]);
    expect(resolve4).toHaveBeenCalledTimes(1);
    resolve4?.mockResolvedValue(['10.9.0.1']);
    expect(await names.addressesOf('slow.example')).toEqual([{ address: '10.9.0.1', family: 4 }]);
    expect(resolve6).toHaveBeenCalledTimes(2);
  });

  it('finds none where more servers do not answer than can be waited for', async () => {
    const never = () => new Promise<never>(() => undefined);
    for (const method of ['resolve4', 'resolve6'] as const)
      jest.spyOn(Resolver.prototype, method).mockImplementation(never);
    expect(await new NameResolver().addressesOf('silent.example')).toEqual([]);
  });

  it('gives an address as it is', async () => {
    expect(await new NameResolver().addressesOf('::1')).toEqual([{ address: '::1', family: 6 }]);
  });
});
