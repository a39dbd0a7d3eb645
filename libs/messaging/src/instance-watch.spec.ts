import type { Messaging } from './connect';
import { InstanceWatch } from './instance-watch';

const SUBJECTS = { ownSubject: 'a.alive', watchedSubject: 'b.alive' };

/** Sweeps every half second of the given span, as the timer does. */
function sweepThrough(watch: InstanceWatch, fromMs: number, toMs: number): void {
  for (let nowMs = fromMs; nowMs <= toMs; nowMs += 500) watch.sweep(nowMs);
}

describe('InstanceWatch', () => {
  const lost: string[] = [];
  let watch: InstanceWatch;
  let startMs: number;

  beforeEach(() => {
    lost.length = 0;
    watch = new InstanceWatch({} as Messaging, SUBJECTS);
    watch.onLost((instanceId) => lost.push(instanceId));
    startMs = performance.now();
    watch.sweep(startMs);
    watch.heard('peer');
  });

  it('reports an instance that fell silent, once', () => {
    sweepThrough(watch, startMs, startMs + 3_000);
    expect(lost).toEqual([]);
    sweepThrough(watch, startMs + 3_500, startMs + 10_000);
    expect(lost).toEqual(['peer']);
  });

  it('blames nobody for the time in which this process stood still', () => {
    watch.sweep(startMs + 60_000);
    sweepThrough(watch, startMs + 60_500, startMs + 63_000);
    expect(lost).toEqual([]);
    sweepThrough(watch, startMs + 63_500, startMs + 65_000);
    expect(lost).toEqual(['peer']);
  });
});
