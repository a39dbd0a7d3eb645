import { EarlyAttachments } from './early-attachments';

const attachment = (subscriberId: string) => ({
  who: { gatewayId: 'g', subscriberId },
  subject: `_INBOX.${subscriberId}`,
});
const idsOf = (early: EarlyAttachments, holdId: string) =>
  early.take(holdId).map(({ who }) => who.subscriberId);

describe('EarlyAttachments', () => {
  beforeEach(() => {
    jest.useFakeTimers();
    // The clock does not begin with the test.
    jest.advanceTimersByTime(60_000);
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('gives each run those who wait for it, once', () => {
    const early = new EarlyAttachments();
    for (const id of ['a', 'b']) early.add('req_1', attachment(id));
    early.add('req_2', attachment('c'));
    expect(idsOf(early, 'req_1')).toEqual(['a', 'b']);
    expect(idsOf(early, 'req_1')).toEqual([]);
    expect(idsOf(early, 'req_2')).toEqual(['c']);
  });

  it('forgets who has left, and who has waited long enough', () => {
    const early = new EarlyAttachments();
    for (const id of ['a', 'b', 'c']) early.add('req_1', attachment(id));
    early.remove('b');
    early.remove('b');
    early.sweep(performance.now());
    expect(idsOf(early, 'req_1')).toEqual(['a', 'c']);
    early.add('req_1', attachment('d'));
    early.sweep(performance.now() + 1_001);
    expect(idsOf(early, 'req_1')).toEqual([]);
  });

  it('takes no more than it can keep', () => {
    const early = new EarlyAttachments();
    for (let each = 0; each < 20_001; each++) early.add('req_1', attachment(String(each)));
    expect(idsOf(early, 'req_1')).toHaveLength(20_000);
    // Who is taken or has left makes room.
    for (let round = 0; round < 2; round++) {
      for (let each = 0; each < 20_000; each++) early.add('req_1', attachment(String(each)));
      for (let each = 0; each < 20_000; each++) early.remove(String(each));
    }
    early.add('req_2', attachment('late'));
    expect(idsOf(early, 'req_2')).toEqual(['late']);
  });
});
