import { MOST_GATHERED_CALLS, MOST_GATHERED_CHARS } from './gathered-calls';
import { OutgoingCalls } from './outgoing-calls';

describe('OutgoingCalls', () => {
  let calls: OutgoingCalls;
  /** What callers were told, and whether more might come when the message was over. */
  let told: unknown[];
  beforeEach(() => {
    told = [];
    calls = new OutgoingCalls('some.subject', (over) => told.push(over));
  });

  const add = (name: string, requestJson = '{}') =>
    calls.add({
      requestJson,
      metadata: {},
      resolve: (result) => told.push([name, result]),
      reject: () => told.push([name, 'failed']),
    });
  const take = (text: string) => calls.take({ data: Buffer.from(text) });

  it('are as many as agreed, and no more together than the server takes', () => {
    for (let count = 1; count <= MOST_GATHERED_CALLS; count++) {
      add('one');
      expect(calls.hasRoomFor('{}')).toBe(count < MOST_GATHERED_CALLS);
    }
    calls = new OutgoingCalls('some.subject', () => undefined);
    const third = 'x'.repeat(MOST_GATHERED_CHARS / 3);
    for (const hasRoom of [true, true, false]) {
      add('one', third);
      expect(calls.hasRoomFor(third)).toBe(hasRoom);
    }
  });

  it('are over when each is answered, once, or given up', () => {
    for (const name of ['a', 'b', 'c']) add(name);
    take('[[1,0,"first"],[1,0,"again"],[7,0,"nobody’s"]]');
    expect([calls.forget(0), calls.forget(0), calls.forget(1)]).toEqual([true, false, false]);
    take('[[0,0,"late"],[2,1,{}]]');
    expect(told).toEqual([['b', 'first'], { quiet: false }, ['c', 'failed']]);
    expect(calls.hasRoomFor('{}')).toBe(false);
  });

  it('are quiet when nothing more can come', () => {
    for (const name of ['a', 'b']) add(name);
    take('[[0,0,1],[1,0,2]]');
    expect(told).toEqual([['a', 1], { quiet: true }, ['b', 2]]);
  });

  it.each(['{}', '[7]', 'no JSON'])('fail all when what comes is no answers: %s', (text) => {
    for (const name of ['a', 'b']) add(name);
    take(text);
    expect(told).toEqual([['a', 'failed'], { quiet: true }, ['b', 'failed']]);
  });
});
