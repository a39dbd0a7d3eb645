import { waitUntil } from './wait-until';

describe('waitUntil', () => {
  it('asks again until there is an answer', async () => {
    let asked = 0;
    const answer = await waitUntil(
      () => Promise.resolve(++asked < 3 ? undefined : asked),
      new AbortController().signal,
    );
    expect(answer).toBe(3);
  });

  it('ends when it is aborted', async () => {
    const waiting = waitUntil(() => Promise.resolve(undefined), AbortSignal.timeout(80));
    await expect(waiting).rejects.toThrow(/abort|timeout/i);
  });

  it('passes an error on', async () => {
    const waiting = waitUntil(() => Promise.reject(new Error('refused')), new AbortController().signal);
    await expect(waiting).rejects.toThrow('refused');
  });
});
