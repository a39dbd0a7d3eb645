import { INTERVALS_OF_DOUBT, SilentProviders } from './silent-providers';

const HEARTBEAT_MS = 1_000;
const ENDPOINT = 'https://one.example/v1';

function heard(answers: readonly boolean[], atMs = 0): SilentProviders {
  const providers = new SilentProviders(HEARTBEAT_MS);
  for (const [index, answered] of answers.entries()) providers.note(`0x${index}`, ENDPOINT, answered, atMs);
  return providers;
}
const of = (silent: number, answered: number): boolean[] => [
  ...Array.from({ length: silent }, () => false),
  ...Array.from({ length: answered }, () => true),
];

describe('SilentProviders', () => {
  it.each([
    [0, 0, false],
    [4, 0, false],
    [5, 0, true],
    [5, 1, false],
    [9, 1, true],
    [90, 10, true],
    [89, 11, false],
  ])('%i silent and %i that answer: ours: %s', (silent, answered, isOurs) => {
    expect(heard(of(silent, answered)).isOurs(0)).toBe(isOurs);
  });

  it('goes by the last answer, of the last interval', () => {
    const providers = heard(of(0, 6));
    for (let index = 0; index < 6; index++) providers.note(`0x${index}`, ENDPOINT, false, 500);
    expect(providers.isOurs(1_000)).toBe(true);
    expect(providers.isOurs(2_000)).toBe(false);
  });

  it('counts a provider once, and as silent only when all of its endpoints are', () => {
    const providers = heard(of(4, 0));
    for (let port = 0; port < 18; port++) providers.note('0x0', `https://one.example:${port}/v1`, false, 0);
    expect(providers.isOurs(0)).toBe(false);
    providers.note('0x4', ENDPOINT, false, 0);
    expect(providers.isOurs(0)).toBe(true);
    providers.note('0x4', 'https://two.example/v1', true, 0);
    expect(providers.isOurs(0)).toBe(false);
    // Whichever of them was asked last.
    providers.note('0x4', 'https://three.example/v1', false, 0);
    expect(providers.isOurs(0)).toBe(false);
  });

  it('doubts for some intervals, and again once somebody has answered', () => {
    const providers = new SilentProviders(HEARTBEAT_MS);
    const round = (interval: number, answered: boolean) => {
      const atMs = interval * HEARTBEAT_MS;
      for (let index = 0; index < 6; index++) providers.note(`0x${index}`, ENDPOINT, answered, atMs);
      return providers.isOurs(atMs);
    };
    for (let interval = 0; interval < INTERVALS_OF_DOUBT; interval++) {
      expect(round(interval, false)).toBe(true);
    }
    expect([round(INTERVALS_OF_DOUBT, false), round(50, false)]).toEqual([false, false]);
    // Whoever else asks them learns nothing all the same.
    expect(providers.areNearlyAllSilent(50 * HEARTBEAT_MS)).toBe(true);
    expect([round(51, true), round(52, false)]).toEqual([false, true]);
  });
});
