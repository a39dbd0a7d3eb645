import { outcomeOf, reasonWords } from './outcome-words';

const served = {
  outcome: 'served',
  late: false,
  refunded: false,
  finish_reason: 'stop',
  reason: null,
  error_code: null,
} as const;
const unserved = { ...served, outcome: 'unserved', finish_reason: null } as const;

describe('what became of a request', () => {
  it.each([
    [served, 'Served', 'good'],
    [{ ...served, late: true }, 'Served late, free', 'warning'],
    [{ ...served, late: true, refunded: true }, 'Refunded', 'warning'],
    [{ ...served, finish_reason: 'cancelled' }, 'Stopped by client', 'quiet'],
    [{ ...unserved, reason: 'no_capacity', error_code: 'no_capacity' as const }, 'No capacity', 'bad'],
    [{ ...unserved, reason: 'shutdown', error_code: 'no_capacity' as const }, 'No capacity', 'bad'],
    [{ ...unserved, reason: 'cancelled' }, 'Cancelled', 'quiet'],
    [{ ...unserved, reason: 'expired' }, 'Expired', 'bad'],
    [{ ...unserved, reason: 'a_new_word' }, 'a_new_word', 'bad'],
    [unserved, 'Failed', 'bad'],
  ])('%#: %s', (request, words, tone) => {
    expect(outcomeOf(request)).toEqual({ words, tone });
  });

  it('has reasons in words, and none for what it does not know', () => {
    expect(reasonWords('expired')).toMatch(/hold ended/);
    expect([reasonWords('a_new_word'), reasonWords(null)]).toEqual([undefined, undefined]);
  });
});
