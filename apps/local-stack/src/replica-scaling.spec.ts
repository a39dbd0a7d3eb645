import { ReplicaScaling } from './replica-scaling';
import type { ReplicaLoad } from './replica-scaling';

const busy: ReplicaLoad = { cpu: 0.9, runsInFlight: 10 };
const crowded: ReplicaLoad = { cpu: 0.1, runsInFlight: 600 };
const idle: ReplicaLoad = { cpu: 0.01, runsInFlight: 0 };
const middling: ReplicaLoad = { cpu: 0.5, runsInFlight: 10 };

function looks(scaling: ReplicaScaling, times: number, loads: ReplicaLoad[]): number[] {
  return Array.from({ length: times }, () => scaling.next(loads));
}

describe('ReplicaScaling', () => {
  it.each([[busy], [crowded]])('starts another when all are %j for a while', (load) => {
    const scaling = new ReplicaScaling({ least: 1, most: 3 });
    expect(looks(scaling, 6, [load])).toEqual([0, 0, 1, 0, 0, 1]);
  });

  it('does nothing about load that goes at once', () => {
    const scaling = new ReplicaScaling({ least: 1, most: 3 });
    expect([
      ...looks(scaling, 2, [busy]),
      ...looks(scaling, 1, [idle]),
      ...looks(scaling, 2, [busy]),
    ]).toEqual([0, 0, 0, 0, 0]);
  });

  it('stops one after a longer while, if the rest can do the work', () => {
    const scaling = new ReplicaScaling({ least: 1, most: 3 });
    expect(looks(scaling, 40, [middling, middling])).not.toContain(-1);
    expect(looks(scaling, 15, [idle, idle])).toEqual([...Array<number>(14).fill(0), -1]);
  });

  it('stays within its range', () => {
    const scaling = new ReplicaScaling({ least: 2, most: 2 });
    expect(looks(scaling, 40, [busy, busy])).not.toContain(1);
    expect(looks(scaling, 40, [idle, idle])).not.toContain(-1);
    expect(scaling.next([])).toBe(0);
  });
});
