import type { RunHold, ServedUsage, SettleHoldRequest, SettledHold } from '@svc/contracts';
import { internalError, invalidRequest } from '@svc/errors';
import type { Logger } from '@svc/observability';
import { HoldService } from './hold.service';

const hold = { holdId: 'req_1', wallet: '0xa' } as RunHold;
const usage = {} as ServedUsage;
const COST = 7n;

type Answer = SettledHold | Error;
const posted: Answer = { state: 'posted', charged: String(COST) };
const late: Answer = { state: 'late', charged: '0' };
const refusal = invalidRequest('No.', 'usage');
const failure = internalError();

/** Holds as billing answers, one call after another; and what went by the queue. */
function settling(...answers: (Answer | Promise<Answer>)[]) {
  const called: SettleHoldRequest[] = [];
  const deferred: { id: string; request: SettleHoldRequest; otherwise: () => Promise<boolean> }[] = [];
  const call = async (_contract: object, request: SettleHoldRequest) => {
    called.push(request);
    const answer = await answers.shift();
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const publish = (
    _subject: string,
    id: string,
    request: SettleHoldRequest,
    otherwise: () => Promise<boolean>,
  ) => {
    deferred.push({ id, request, otherwise });
    return Promise.resolve();
  };
  const warned: object[] = [];
  const logger: Partial<Logger> = { warn: (fields: object) => warned.push(fields), error: () => undefined };
  const holds = new HoldService(
    { call } as never,
    { publish } as never,
    { settlementDeferred: () => undefined, holdAbandoned: () => undefined } as never,
    logger as Logger,
  );
  return { holds, called, deferred, warned };
}

describe('HoldService', () => {
  it.each<[string, Answer, bigint, number]>([
    ['what billing has charged', posted, COST, 0],
    ['nothing for a hold that was lost', late, 0n, 0],
    ['nothing when billing refuses it', refusal, 0n, 0],
    ['what it costs, by the queue, when billing could not', failure, COST, 1],
  ])('says of a charge: %s', async (_, answer, charged, queued) => {
    const { holds, deferred } = settling(answer);
    expect(await holds.post(hold, usage, COST)).toBe(charged);
    expect(deferred).toHaveLength(queued);
  });

  it('tells the log of what is charged otherwise than metered, and of nothing else', async () => {
    const warnedOf = async (answer: Answer, cost: bigint) => {
      const { holds, warned } = settling(answer);
      await holds.post(hold, usage, cost);
      return warned;
    };
    expect(await warnedOf(posted, COST)).toEqual([]);
    const told = { requestId: 'req_1', state: 'posted', charged: '7', cost: '8' };
    expect(await warnedOf(posted, COST + 1n)).toEqual([told]);
    expect(await warnedOf(late, 0n)).toEqual([{ ...told, state: 'late', charged: '0', cost: '0' }]);
  });

  it.each<[string, Answer, boolean, number]>([
    ['was made', posted, true, 0],
    ['was not made of a hold that was lost', late, false, 0],
    ['was not made when billing refuses it', refusal, false, 0],
    ['will be made, by the queue, when billing could not', failure, true, 1],
  ])('says of the charge of a stored reply that it %s', async (_, answer, isCharged, queued) => {
    const { holds, deferred } = settling(answer);
    expect(await holds.postAsStored(hold, usage, COST)).toBe(isCharged);
    expect(deferred).toHaveLength(queued);
  });

  it('lets no stored reply be told that says another cost than was charged', async () => {
    const { holds } = settling(posted);
    await expect(holds.postAsStored(hold, usage, COST + 1n)).rejects.toThrow('charged 7 instead of 8');
  });

  it('tries billing again for what the queue does not take, until it has decided', async () => {
    const { holds, called, deferred } = settling(failure, failure, refusal, posted);
    await holds.post(hold, usage, COST);
    const decided = [];
    for (let time = 0; time < 3; time++) decided.push(await deferred[0]?.otherwise());
    expect(decided).toEqual([false, true, true]);
    expect(called).toEqual(Array(4).fill(deferred[0]?.request));
  });

  it('tells the queue a charge and its return apart, by ids that nobody else can guess', async () => {
    const [one, other] = [settling(failure), settling(failure)];
    for (const { holds } of [one, other]) {
      await holds.post(hold, usage, COST);
      holds.abandon(hold, 'undelivered', {});
    }
    const ids = [...one.deferred, ...other.deferred].map(({ id }) => id);
    expect(new Set(ids).size).toBe(4);
    expect(one.deferred.map(({ request }) => request.outcome)).toEqual(['post', 'abandon']);
  });

  it('hands to the queue what billing has not answered, and nothing that it has', async () => {
    let answer!: (answer: Answer) => void;
    const { holds, deferred } = settling(posted, new Promise((resolve) => (answer = resolve)));
    await holds.post(hold, usage, COST);
    const second = holds.post({ ...hold, holdId: 'req_2' }, usage, COST);
    holds.handOver();
    expect(deferred.map(({ request }) => request.holdId)).toEqual(['req_2']);
    answer(posted);
    expect(await second).toBe(COST);
    holds.handOver();
    expect(deferred).toHaveLength(1);
  });
});
