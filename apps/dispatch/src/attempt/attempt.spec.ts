import type { UpstreamCall } from '../provider-client/upstream-call';
import { Attempt } from './attempt';
import { ReplyMemory } from './reply-memory.service';
import type { ReplyReader } from './reply-readers';

describe('Attempt', () => {
  it('holds no memory once it is over, also when its first word was all that was wanted', async () => {
    let heldBytes = () => 0;
    const memory = new ReplyMemory({ watchReplyMemory: (held: () => number) => (heldBytes = held) } as never);
    let call!: UpstreamCall;
    const client = { post: (_target: unknown, _body: string, made: UpstreamCall) => (call = made) };
    const reader = {
      ...{ progress: 0, heldBytes: 0, outputBytes: 0, finished: false },
      take(bytes: Buffer) {
        this.progress++;
        this.heldBytes += bytes.length;
        return true;
      },
    };
    const patience = { firstTokenTimeoutMs: 1_000, chunkTimeoutMs: 1_000, totalTimeoutMs: 10_000 };
    const start = (onFirstToken?: (attempt: Attempt) => void) => {
      const attempt = new Attempt(client as never, memory, {
        ...{ target: {} as never, body: '{}', patience },
        output: { blocked: false, flushSoon: () => undefined },
        readerFor: () => ({ ...reader }) as unknown as ReplyReader,
        onFirstToken,
      });
      jest.spyOn(call, 'abort').mockImplementation(() => undefined);
      attempt.onHead('text/event-stream');
      attempt.onData(Buffer.alloc(40 * 1024));
      return attempt;
    };

    const kept = start();
    expect(heldBytes()).toBe(40 * 1024);
    kept.stop();
    expect(heldBytes()).toBe(0);
    const stopped = start((attempt) => attempt.stop());
    expect(await stopped.outcome).toMatchObject({ kind: 'stopped' });
    expect(heldBytes()).toBe(0);
  });
});
