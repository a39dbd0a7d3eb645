import type { ServerResponse } from 'node:http';
import { noCapacity } from '@svc/errors';
import { RequestRecord } from '../http/request-record';
import { attempt } from '../testing/fake-cortex.for-spec';
import type { CompletionOrder } from './completion-order';
import { CompletionRunner } from './completion-runner';

const hold = {
  state: 'held',
  holdId: 'req_0123456789',
  wallet: `0x${'b'.repeat(40)}`,
  amount: '42',
} as const;
const order: CompletionOrder = {
  model: 'svc/demo@1',
  routing: undefined,
  stream: false,
  includeUsage: false,
  inputEstimate: 20,
  inputLeast: 8,
  maxTokens: 100,
  needs: undefined,
  bodyJson: '{"messages":[]}',
};

/** Has a request that was paid for fail to become a run. */
function failToRun(idempotent: boolean, lost: 'connection' | 'start'): object[] {
  const letGo: object[] = [];
  const failing = (where: string) => () => {
    if (where === lost) throw noCapacity('The service is not reachable inside now.', 2);
  };
  const runner = new CompletionRunner(
    { start: failing('start') } as never,
    { letGo: (...what: object[]) => void letGo.push(...what) } as never,
    { assertConnected: failing('connection') } as never,
    { nowMs: () => 0 },
  );
  const admitted = {
    hold,
    plan: { attempts: [attempt] },
    context: { requestId: hold.holdId },
    idempotent,
  };
  const reply = { setHeader: () => undefined } as unknown as ServerResponse;
  expect(() => runner.run(order, admitted, new RequestRecord(0), reply)).toThrow('not reachable');
  return letGo;
}

describe('a hold whose run cannot begin', () => {
  it.each([
    ['connection', false],
    ['connection', true],
    ['start', false],
    ['start', true],
  ] as const)(
    'is let go of (no %s, idempotent: %s), and its owner finds what the client was told',
    (lost, idempotent) => {
      const { holdId, wallet } = hold;
      expect(failToRun(idempotent, lost)).toEqual([
        { holdId, wallet },
        { idempotent, reason: 'not_started', code: 'no_capacity' },
      ]);
    },
  );
});
