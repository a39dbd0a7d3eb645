import { groupByEndpoint } from './endpoint-groups';
import type { DueOffer } from './due-heartbeats.store';
import { judgeHeartbeat } from './heartbeat-rules';

describe('judgeHeartbeat', () => {
  it('suspends at the third miss in a row, and once', () => {
    const at = (missedHeartbeats: number) => judgeHeartbeat({ watchCode: null, missedHeartbeats }, false);
    expect(at(0)).toEqual({ effect: 'none', missedHeartbeats: 1 });
    expect(at(1)).toEqual({ effect: 'none', missedHeartbeats: 2 });
    expect(at(2)).toEqual({ effect: 'suspend', missedHeartbeats: 3 });
    expect(judgeHeartbeat({ watchCode: 'no_heartbeat', missedHeartbeats: 3 }, false)).toEqual({
      effect: 'none',
      missedHeartbeats: 4,
    });
  });

  it('takes one answer for enough', () => {
    for (const missedHeartbeats of [2, 40]) {
      expect(judgeHeartbeat({ watchCode: null, missedHeartbeats }, true)).toEqual({
        effect: 'none',
        missedHeartbeats: 0,
      });
    }
    expect(judgeHeartbeat({ watchCode: 'no_heartbeat', missedHeartbeats: 40 }, true)).toEqual({
      effect: 'reinstate',
      missedHeartbeats: 0,
    });
  });

  it('leaves what else stands against the offer to a canary, which looks again when the offer was gone', () => {
    expect(judgeHeartbeat({ watchCode: 'drift', missedHeartbeats: 2 }, false).effect).toBe('none');
    expect(judgeHeartbeat({ watchCode: 'drift', missedHeartbeats: 2 }, true).effect).toBe('none');
    expect(judgeHeartbeat({ watchCode: 'failing', missedHeartbeats: 3 }, true)).toEqual({
      effect: 'recheck',
      missedHeartbeats: 0,
    });
  });
});

it('groups offers by provider and endpoint', () => {
  const offer = (id: string, provider: string, endpoint: string): DueOffer => ({
    id,
    version: 1,
    provider,
    endpoint,
    credential: null,
    missed: 0,
    sound: true,
    asked: true,
  });
  const groups = groupByEndpoint([
    offer('a', 'p', 'x'),
    offer('b', 'q', 'x'),
    offer('c', 'p', 'x'),
    offer('d', 'p', 'y'),
  ]);
  expect(groups.map((group) => group.map(({ id }) => id))).toEqual([['a', 'c'], ['b'], ['d']]);
});
