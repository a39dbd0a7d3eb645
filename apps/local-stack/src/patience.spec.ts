import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { withPatience } from './patience';

const untilAborted = (until: AbortSignal) =>
  new Promise<string>((resolve) => {
    until.addEventListener('abort', () => resolve((until.reason as Error).message), { once: true });
  });

describe('withPatience', () => {
  it('gives up after the time, whatever is collected meanwhile', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const collecting = setInterval(collect, 50);
    try {
      const given = withPatience(new AbortController().signal, 500, untilAborted);
      expect(await given).toBe('not done within 500 ms');
    } finally {
      clearInterval(collecting);
    }
  }, 60_000);

  it('gives up with the caller', async () => {
    const caller = new AbortController();
    const given = withPatience(caller.signal, 60_000, untilAborted);
    caller.abort(new Error('stopped'));
    expect(await given).toBe('stopped');
  });
});
