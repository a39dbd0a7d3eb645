import { allOrAbort } from './all-or-abort';

describe('allOrAbort', () => {
  it('aborts the rest at the first failure, waits for it, and throws the first error', async () => {
    const abort = new AbortController();
    let ended = false;
    const other = new Promise<void>((_resolve, reject) => {
      abort.signal.addEventListener('abort', () => {
        setImmediate(() => {
          ended = true;
          reject(new Error('cut short'));
        });
      });
    });
    await expect(allOrAbort([other, Promise.reject(new Error('first'))], abort)).rejects.toThrow('first');
    expect(ended).toBe(true);
  });

  it('is done when all are', async () => {
    const abort = new AbortController();
    await allOrAbort([Promise.resolve(1), Promise.resolve(2)], abort);
    expect(abort.signal.aborted).toBe(false);
  });
});
