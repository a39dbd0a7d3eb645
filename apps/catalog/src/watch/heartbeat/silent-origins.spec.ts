import { SilentOrigins } from './silent-origins';

const HEARTBEAT_MS = 1_000;

function heard(answers: readonly boolean[], atMs = 0): SilentOrigins {
  const origins = new SilentOrigins(HEARTBEAT_MS);
  for (const [index, answered] of answers.entries()) origins.note(`https://o${index}`, answered, atMs);
  return origins;
}
const of = (silent: number, answered: number): boolean[] => [
  ...Array.from({ length: silent }, () => false),
  ...Array.from({ length: answered }, () => true),
];

describe('SilentOrigins', () => {
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
    const origins = heard(of(0, 6));
    for (let index = 0; index < 6; index++) origins.note(`https://o${index}`, false, 500);
    expect(origins.isOurs(1_000)).toBe(true);
    expect(origins.isOurs(2_000)).toBe(false);
  });
});
