import { WalletAnswers } from './wallet-answers';
import { WalletError } from './wallet-error';

const never = new Promise<string>(() => undefined);

function scene() {
  const told: boolean[] = [];
  let stop: (() => void) | undefined;
  const answers = new WalletAnswers((next) => {
    stop = next;
    told.push(next !== undefined);
  });
  return { answers, told, stop: () => stop?.() };
}

describe('WalletAnswers', () => {
  it('gives what the wallet answers, and can be stopped only meanwhile', async () => {
    const { answers, told } = scene();
    await expect(answers.until(Promise.resolve('0xab'))).resolves.toBe('0xab');
    await expect(answers.until(Promise.reject(new WalletError('no', 'rejected')))).rejects.toThrow('no');
    expect(told).toEqual([true, false, true, false]);
  });

  it('waits no longer when told, and waits for the next answer again', async () => {
    const { answers, stop } = scene();
    const waited = expect(answers.until(never)).rejects.toMatchObject({ kind: 'rejected' });
    stop();
    await waited;
    await expect(answers.until(Promise.resolve('0xab'))).resolves.toBe('0xab');
  });

  it('takes no answer once nobody is there for it, neither a late one nor one that is asked for then', async () => {
    const { answers } = scene();
    const waited = expect(answers.until(never)).rejects.toMatchObject({ kind: 'rejected' });
    answers.leave();
    await waited;
    await expect(answers.until(Promise.resolve('0xab'))).rejects.toThrow('is not used');
    answers.enter();
    await expect(answers.until(Promise.resolve('0xab'))).resolves.toBe('0xab');
  });
});
