import type { DispatchMetrics } from '../dispatch.metrics';
import { ReplyMemory } from './reply-memory.service';

const MIB = 1024 * 1024;

describe('ReplyMemory', () => {
  let heldBytes = () => 0;
  const metrics = { watchReplyMemory: (read: () => number) => (heldBytes = read) };
  const holder = () => ({ crowdOut: jest.fn() });

  it('lets the largest go when there is no more room, and nobody else', () => {
    const memory = new ReplyMemory(metrics as unknown as DispatchMetrics);
    const [small, large, larger] = [holder(), holder(), holder()];
    memory.note(small, MIB);
    memory.note(large, 100 * MIB);
    memory.note(larger, 150 * MIB);
    expect(heldBytes()).toBe(251 * MIB);
    memory.note(small, 10 * MIB);
    expect(larger.crowdOut).toHaveBeenCalledTimes(1);
    expect(large.crowdOut).not.toHaveBeenCalled();
    expect(heldBytes()).toBe(110 * MIB);
    memory.note(small, 0);
    memory.release(large);
    memory.release(large);
    memory.release(small);
    expect(heldBytes()).toBe(0);
  });
});
