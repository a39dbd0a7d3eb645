import { createMetricsRegistry } from '@svc/observability';
import { DispatchMetrics } from '../dispatch.metrics';
import { ProbePlaces } from './probe-places.service';

const places = () => new ProbePlaces(new DispatchMetrics(createMetricsRegistry('test')));
const forEver = () => new Promise<never>(() => undefined);

describe('ProbePlaces', () => {
  it('breaks off what is under way when the instance leaves, and takes no more', async () => {
    const probes = places();
    let ended = false;
    const work = (signal: AbortSignal) => {
      signal.addEventListener('abort', () => (ended = true));
      return forEver();
    };
    const underWay = probes.take('call', work, () => 'never');
    probes.leave();
    expect(ended).toBe(true);
    await expect(underWay).rejects.toMatchObject({ code: 'no_capacity' });
    await expect(probes.take('ping', () => Promise.resolve(1), String)).rejects.toMatchObject({
      code: 'no_capacity',
    });
  });

  it('tells what a probe found, or why it failed', async () => {
    const probes = places();
    expect(await probes.take('call', () => Promise.resolve('fine'), String)).toBe('fine');
    await expect(probes.take('call', () => Promise.reject(new Error('odd')), String)).rejects.toThrow('odd');
  });
});
