import type * as Timers from 'node:timers/promises';
import { eventually } from '@svc/testing';
import { CodedModelList } from './coded-model-list';
import { CurrentModelList } from './current-model-list';

function setUp() {
  const state = { made: 0, version: 1, broken: false };
  const errors: unknown[] = [];
  const current = new CurrentModelList(
    () => {
      if (state.broken) throw new Error('broken');
      state.made++;
      return CodedModelList.of([Buffer.from(String(state.version))]);
    },
    (error) => errors.push(error),
  );
  const shown = () => current.get().in(undefined).body.toString();
  return { state, errors, current, shown };
}

describe('CurrentModelList', () => {
  it('shows changes that come together once, compressed', async () => {
    const { state, current, shown } = setUp();
    current.renew();
    expect(shown()).toMatch(/1/);
    await eventually(() => current.get().in('br').coding === 'br');
    for (state.version = 2; state.version < 50; state.version++) current.renew();
    expect(shown()).toMatch(/\[1\]/);
    await eventually(() => {
      // What is shown is compressed at any time.
      expect(current.get().in('br').coding).toBe('br');
      return shown().includes('[50]');
    });
    expect(state.made).toBe(2);
  });

  it('waits for further changes so briefly that each is shown within a second', async () => {
    const timers = jest.requireActual<typeof Timers>('node:timers/promises');
    const waits = jest.spyOn(timers, 'setTimeout');
    const { state, current, shown } = setUp();
    current.renew();
    await eventually(() => current.get().in('br').coding === 'br');
    state.version = 2;
    current.renew();
    await eventually(() => shown().includes('[2]'));
    // It keeps no process from ending; whoever looks here waits otherwise.
    const its = waits.mock.calls.filter(([, , options]) => options?.ref === false);
    waits.mockRestore();
    expect(its).toHaveLength(1);
    expect(its[0]?.[0]).toBeLessThanOrEqual(500);
  });

  it('shows what came while it was being made', async () => {
    const { state, current, shown } = setUp();
    current.renew();
    state.version = 2;
    current.renew();
    await eventually(() => shown().includes('[2]'));
    expect(state.made).toBe(2);
  });

  it('goes on with the last one when the next cannot be made', async () => {
    const { state, errors, current, shown } = setUp();
    current.renew();
    await eventually(() => current.get().in('gzip').coding === 'gzip');
    state.broken = true;
    current.renew();
    await eventually(() => errors.length === 1);
    expect(shown()).toContain('[1]');
    Object.assign(state, { broken: false, version: 3 });
    current.renew();
    await eventually(() => shown().includes('[3]'));
  });
});
