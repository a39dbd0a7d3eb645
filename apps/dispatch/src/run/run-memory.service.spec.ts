import type { DispatchMetrics } from '../dispatch.metrics';
import { runRequest } from '../testing/run-request.for-spec';
import { Run } from '../live-run/run';
import type { AnyRun } from '../live-run/run';
import { RunMemory } from './run-memory.service';
import { RunRegistry } from './run-registry.service';

const MIB = 1024 * 1024;
const [MINE, YOURS] = [`0x${'1'.repeat(40)}`, `0x${'2'.repeat(40)}`];

function setUp() {
  let heldBytes = () => 0;
  const registry = new RunRegistry();
  const metrics = { watchRequestMemory: (read: () => number) => (heldBytes = read) };
  new RunMemory(registry, metrics as unknown as DispatchMetrics);
  const begin = (wallet: string, mib: number): AnyRun => {
    const request = runRequest(['a']);
    request.hold.wallet = wallet;
    const run = new Run(request, 'g', { delivered: false } as never, '{"messages":[]}', mib * MIB);
    expect(registry.add(run)).toBe(true);
    return run;
  };
  return { registry, begin, heldMib: () => heldBytes() / MIB };
}

describe('RunMemory', () => {
  it('counts each run once, until it is over', () => {
    const { registry, begin, heldMib } = setUp();
    const [one, other] = [begin(MINE, 100), begin(YOURS, 50)];
    expect(registry.add(one)).toBe(false);
    expect(heldMib()).toBe(150);
    for (const run of [one, one, other]) registry.remove(run);
    expect(heldMib()).toBe(0);
    expect([one.stopReason, other.stopReason]).toEqual([undefined, undefined]);
  });

  it('refuses the request that has just come where its wallet has the most', () => {
    const { begin, registry, heldMib } = setUp();
    const mine = [begin(MINE, 100), begin(MINE, 80)];
    const yours = begin(YOURS, 10);
    const latest = begin(MINE, 4);
    expect([...mine, yours, latest].map(({ stopReason }) => stopReason)).toEqual([
      ...[undefined, undefined, undefined],
      'crowded_out',
    ]);
    expect(heldMib()).toBe(190);
    // It was given back when it gave way.
    registry.remove(latest);
    expect(heldMib()).toBe(190);
  });

  it('has who has the most give way to others, with its largest, the last of equal ones', () => {
    const { begin, heldMib } = setUp();
    const mine = [begin(MINE, 5), begin(MINE, 90), begin(MINE, 90)];
    const yours = [begin(YOURS, 10), begin(YOURS, 10)];
    expect([...mine, ...yours].map(({ stopReason }) => stopReason)).toEqual([
      ...[undefined, undefined, 'crowded_out'],
      ...[undefined, undefined],
    ]);
    expect(heldMib()).toBe(115);
  });

  it('has a request give way that has shown nothing before a larger one that has, and none that is at its end', () => {
    const { begin, heldMib } = setUp();
    const [shown, ending, silent] = [begin(MINE, 90), begin(MINE, 50), begin(MINE, 30)];
    Object.assign(shown.output, { delivered: true });
    ending.isEnding = true;
    begin(YOURS, 30);
    expect([shown, ending, silent].map(({ stopReason }) => stopReason)).toEqual([
      ...[undefined, undefined],
      'crowded_out',
    ]);
    begin(YOURS, 30);
    expect([shown.stopReason, ending.stopReason]).toEqual(['crowded_out', undefined]);
    expect(heldMib()).toBe(110);
  });

  it('refuses the request that has just come where nobody else can give way any more', () => {
    const { begin } = setUp();
    const ending = begin(MINE, 190);
    ending.isEnding = true;
    expect(begin(YOURS, 10).stopReason).toBe('crowded_out');
    expect(ending.stopReason).toBeUndefined();
  });

  it('says nothing else of a run that was stopped before', () => {
    const { begin, heldMib } = setUp();
    const [left] = [begin(MINE, 150)];
    left?.stop('cancelled');
    begin(YOURS, 50);
    expect(left?.stopReason).toBe('cancelled');
    expect(heldMib()).toBe(50);
  });

  it('keeps nothing of the request once the run is over, and can make its text again before', () => {
    const { begin, registry } = setUp();
    const run = begin(MINE, 1);
    expect(run.fieldsFor(undefined)).toBe('{"messages":[]}');
    run.forgetTexts();
    expect(run.fieldsFor(undefined)).toBe('{"messages":[{"role":"user","content":"Say something"}]}');
    registry.remove(run);
    expect(run.request.body).toEqual({});
  });
});
