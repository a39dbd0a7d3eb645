import { WalletDiscovery } from './discovery';

const provider = { request: () => Promise.resolve(null) };

/** A window with wallets in it: each announces itself when asked. */
function windowWith(announcements: unknown[], ethereum?: unknown): EventTarget & { ethereum?: unknown } {
  const target: EventTarget & { ethereum?: unknown } = Object.assign(new EventTarget(), { ethereum });
  target.addEventListener('eip6963:requestProvider', () =>
    announcements.forEach((one) => announce(target, one)),
  );
  return target;
}

function announce(target: EventTarget, detail: unknown): void {
  target.dispatchEvent(Object.assign(new Event('eip6963:announceProvider'), { detail }));
}

const wallet = (name: string, rdns: string, icon?: string) => ({
  info: { uuid: '1', name, rdns, icon },
  provider,
});

describe('WalletDiscovery', () => {
  it('finds the wallets that announce themselves, each once, by name', () => {
    const found = new WalletDiscovery(
      windowWith([wallet('Beta', 'org.beta'), wallet('Alpha', 'org.alpha'), wallet('Beta', 'org.beta')]),
    ).found();
    expect(found.map(({ id, name }) => [id, name])).toEqual([
      ['org.alpha', 'Alpha'],
      ['org.beta', 'Beta'],
    ]);
  });

  it('tells of one that comes late', () => {
    const target = windowWith([]);
    const discovery = new WalletDiscovery(target);
    const before = discovery.found();
    const heard = jest.fn();
    discovery.subscribe(heard);
    announce(target, wallet('Late', 'org.late'));
    expect(heard).toHaveBeenCalledTimes(1);
    expect(before).toEqual([]);
    expect(discovery.found()).toHaveLength(1);
  });

  it('shows no picture but one that is in the announcement itself', () => {
    const icons = [
      'https://tracker.example/pixel.png',
      'javascript:alert(1)',
      'data:text/html,x',
      'data:image/png;base64,AA',
    ];
    const found = new WalletDiscovery(
      windowWith(icons.map((icon, index) => wallet(`W${index}`, `org.w${index}`, icon))),
    ).found();
    expect(found.map(({ icon }) => icon)).toEqual([
      undefined,
      undefined,
      undefined,
      'data:image/png;base64,AA',
    ]);
  });

  it('cuts a long name between two characters, never through one', () => {
    const [long] = new WalletDiscovery(windowWith([wallet(`W${'🦊'.repeat(80)}`, 'org.long')])).found();
    expect(long?.name).toBe(`W${'🦊'.repeat(59)}`);
  });

  it('passes over what is no announcement', () => {
    const nonsense = [
      null,
      'x',
      {},
      { info: { name: 'No provider', rdns: 'a.b' } },
      { info: { name: 1, rdns: 'a' }, provider },
    ];
    expect(new WalletDiscovery(windowWith(nonsense)).found()).toEqual([]);
  });

  it('offers the old way only when nobody announces himself', async () => {
    const old = new WalletDiscovery(windowWith([], provider)).found();
    expect(old.map(({ id }) => id)).toEqual(['injected']);
    await expect(old[0]?.open()).resolves.toBe(provider);
    const both = new WalletDiscovery(windowWith([wallet('Alpha', 'org.alpha')], provider));
    expect(both.found().map(({ id }) => id)).toEqual(['org.alpha']);
  });

  it('gives the same array until something changes', () => {
    const discovery = new WalletDiscovery(windowWith([], provider));
    expect(discovery.found()).toBe(discovery.found());
  });
});
