import type { Admission, AdmissionResult } from '../ledger/operation';
import { JoinedAdmissions } from './joined-admissions';

const held = { outcome: 'held', wallet: '0xa', keyId: 'key_1', amount: 5n } as const;
const digest = (digit: string) => digit.repeat(64);
const claim = { keyHash: digest('1'), fingerprint: digest('2') };

function admission(holdId: string, changes: Partial<Admission> = {}): Admission {
  const shared = { keyHash: digest('a'), amount: 5n, model: 'svc/demo@1', idempotency: claim };
  return { type: 'admit', holdId, ...shared, ...changes };
}

describe('JoinedAdmissions', () => {
  let asked: string[];
  let answer: (result: AdmissionResult | Error) => void;
  let joined: JoinedAdmissions;

  beforeEach(() => {
    asked = [];
    const answers: ((result: AdmissionResult | Error) => void)[] = [];
    answer = (result) => answers.splice(0).forEach((give) => give(result));
    joined = new JoinedAdmissions(({ holdId }) => {
      asked.push(holdId);
      return new Promise((resolve, reject) =>
        answers.push((result) => (result instanceof Error ? reject(result) : resolve(result))),
      );
    });
  });

  it('decides the same request once; the others learn who has it', async () => {
    const all = ['one', 'two', 'three'].map((holdId) => joined.admit(admission(holdId)));
    answer(held);
    expect(await Promise.all(all)).toEqual([
      held,
      { ...held, outcome: 'running', holdId: 'one' },
      { ...held, outcome: 'running', holdId: 'one' },
    ]);
    expect(asked).toEqual(['one']);
    void joined.admit(admission('later'));
    expect(asked).toEqual(['one', 'later']);
  });

  it.each<AdmissionResult>([
    { ...held, outcome: 'completed', holdId: 'before' },
    { outcome: 'mismatch' },
    { outcome: 'suspended' },
    { ...held, outcome: 'insufficient', held: 0n, spendable: 0n, limitedBy: 'key' },
  ])('tells all of them the same: $outcome', async (result) => {
    const all = ['one', 'two'].map((holdId) => joined.admit(admission(holdId)));
    answer(result);
    expect(await Promise.all(all)).toEqual([result, result]);
  });

  it('fails all of them together', async () => {
    const all = ['one', 'two'].map((holdId) => joined.admit(admission(holdId)));
    answer(new Error('the database is away'));
    for (const each of all) await expect(each).rejects.toThrow('away');
  });

  it('asks anew when the answer was of the other’s id', async () => {
    const [, second] = ['one', 'two'].map((holdId) => joined.admit(admission(holdId)));
    answer({ outcome: 'resolved' });
    await new Promise((resolve) => setImmediate(resolve));
    expect(asked).toEqual(['one', 'two']);
    answer(held);
    expect(await second).toEqual(held);
  });

  it('joins nothing else: another key, another body, another API key, none, or a repeat of the same id', () => {
    void joined.admit(admission('one'));
    void joined.admit(admission('two', { idempotency: { ...claim, keyHash: digest('9') } }));
    void joined.admit(admission('three', { idempotency: { ...claim, fingerprint: digest('9') } }));
    void joined.admit(admission('four', { keyHash: digest('b') }));
    void joined.admit(admission('five', { idempotency: undefined }));
    void joined.admit(admission('one'));
    expect(asked).toEqual(['one', 'two', 'three', 'four', 'five', 'one']);
  });
});
