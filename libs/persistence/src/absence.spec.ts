import { Absence } from './absence';

const lost = new Error('Connection terminated');
const crowded = Object.assign(new Error('sorry, too many clients already'), { code: '53300' });

/** What it says after each answer. */
function told(...answers: [atMs: number, failure?: Error][]): boolean[] {
  const absence = new Absence();
  return answers.map(([atMs, failure]) => {
    absence.note(failure, atMs);
    return absence.isAway;
  });
}

describe('Absence', () => {
  it('begins when a server has failed for five seconds, and ends with its first answer', () => {
    expect(told([0, lost], [3_000, lost], [4_999, lost], [5_000, lost], [9_000, lost], [9_500])).toEqual([
      false,
      false,
      false,
      true,
      true,
      false,
    ]);
  });

  it('is none where answers came in between', () => {
    expect(told([0, lost], [4_000], [5_000, lost], [9_000, lost])).toEqual([false, false, false, false]);
  });

  it('does not count the time in which nobody asked', () => {
    expect(told([0], [60_000, lost], [61_000, lost], [62_000])).toEqual([false, false, false, false]);
  });

  it('is none where a server has no connection left: others have one', () => {
    expect(told([0, crowded], [6_000, crowded])).toEqual([false, false]);
    expect(told([0, lost], [6_000, lost], [7_000, crowded], [8_000, lost])).toEqual([
      false,
      true,
      false,
      false,
    ]);
  });
});
