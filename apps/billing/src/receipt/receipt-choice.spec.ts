import { chooseReceipts } from './receipt-choice';
import type { Choice, Waiting, WaitingReceipt } from './receipt-choice';

let count = 0;
const receipt = (amount: number | bigint): WaitingReceipt => ({
  id: `r_${++count}`,
  kind: Number(amount) < 0 ? 'credit' : 'usage',
  amount: BigInt(amount),
  parts: 0,
});

/** As the store reads them. */
function waitingOf(all: readonly WaitingReceipt[], most: number): Waiting {
  const sum = (some: readonly WaitingReceipt[]) => some.reduce((total, { amount }) => total + amount, 0n);
  const allCharges = all.filter(({ amount }) => amount > 0n);
  const charges = allCharges.slice(0, most + 1);
  const given = all
    .filter(({ amount }) => amount < 0n)
    .sort((one, other) => (one.amount < other.amount ? -1 : 1))
    .slice(0, most);
  const [owed, charged] = given.length > 0 ? [sum(all), sum(allCharges)] : [sum(charges), sum(charges)];
  return { owed, charged, charges, free: all.filter(({ amount }) => amount === 0n).slice(0, most), given };
}

/** What goes on waiting. */
function without(all: readonly WaitingReceipt[], { receipts, part }: Choice): WaitingReceipt[] {
  return all
    .filter((each) => !receipts.includes(each))
    .map((each) =>
      each === part?.of ? { ...each, amount: each.amount - part.amount, parts: part.number } : each,
    );
}

const amounts = (choice: Choice | undefined) => choice?.receipts.map(({ amount }) => Number(amount));

describe('chooseReceipts', () => {
  it('takes all where all fits, and what cost nothing with it', () => {
    const choice = chooseReceipts(waitingOf([receipt(5), receipt(0), receipt(7), receipt(-3)], 8), 8);
    expect(amounts(choice)).toEqual([5, 7, -3, 0]);
    expect(choice).toMatchObject({ sum: 9n });
    expect(choice?.part).toBeUndefined();
  });

  it('takes a single base unit', () => {
    expect(chooseReceipts(waitingOf([receipt(1)], 8), 8)?.sum).toBe(1n);
    expect(chooseReceipts(waitingOf([receipt(5), receipt(-4)], 8), 8)?.sum).toBe(1n);
  });

  it('takes nothing while nothing is owed', () => {
    expect(chooseReceipts(waitingOf([receipt(5), receipt(-5)], 8), 8)).toBeUndefined();
    expect(chooseReceipts(waitingOf([receipt(0)], 8), 8)).toBeUndefined();
    expect(chooseReceipts(waitingOf([], 8), 8)).toBeUndefined();
  });

  it('takes nothing of a charge that came once the charges were listed', () => {
    const given = [receipt(-4)];
    expect(chooseReceipts({ owed: 5n, charged: 9n, charges: [], free: [], given }, 8)).toBeUndefined();
  });

  it('gives no more back than falls to its charges, and a part of the largest that is too large', () => {
    const charges = Array.from({ length: 100 }, () => receipt(5));
    // 30 of 500 are taken: of 471 that are owed 28, so that one refund of 20 is enough and more.
    const choice = chooseReceipts(waitingOf([receipt(-20), receipt(-9), ...charges], 8), 8);
    expect([amounts(choice), choice?.sum]).toEqual([[5, 5, 5, 5, 5, 5, -20], 10n]);
    const { part } = chooseReceipts(waitingOf([receipt(-50), receipt(-100), ...charges], 8), 8) ?? {};
    expect(part).toMatchObject({ of: { amount: -100n }, amount: -9n });
  });

  it('takes a part of a credit that no due has charges enough for', () => {
    const charges = Array.from({ length: 110 }, () => receipt(10));
    const choice = chooseReceipts(waitingOf([receipt(-1_000), ...charges], 4), 4);
    // Three of 110 charges: 2 of the 100 that are owed.
    expect(amounts(choice)).toEqual([10, 10, 10]);
    expect(choice).toMatchObject({ sum: 2n, part: { number: 1, amount: -28n } });
    // Less than one of the 1 that is owed: never nothing.
    const nearlyAll = chooseReceipts(waitingOf([receipt(-1_099), ...charges], 4), 4);
    expect(nearlyAll).toMatchObject({ sum: 1n, part: { amount: -29n } });
  });

  it('has places for charges however much cost nothing', () => {
    const free = Array.from({ length: 50 }, () => receipt(0));
    expect(amounts(chooseReceipts(waitingOf([...free, receipt(3), receipt(4)], 4), 4))).toContain(4);
  });

  it('holds charges back where more refunds wait than fit', () => {
    const refunds = Array.from({ length: 50 }, () => receipt(-1));
    const choice = chooseReceipts(waitingOf([...refunds, receipt(40), receipt(13), receipt(2)], 8), 8);
    expect(choice?.sum).toBeGreaterThan(0n);
    expect(choice?.sum).toBeLessThanOrEqual(5n);
    expect(chooseReceipts(waitingOf([...refunds, receipt(55)], 8), 8)).toBeUndefined();
    // 5 are owed, and two refunds fit: charges of 7 at most.
    const fitting = chooseReceipts(waitingOf([...refunds, ...[40, 7, 5, 3].map(receipt)], 8), 8);
    expect([amounts(fitting), fitting?.sum]).toEqual([[7, -1, -1], 5n]);
  });

  it('of any receipts: more than 0, no more than is owed, no more than allowed, and comes to the end of them', () => {
    let seed = 7;
    const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
    for (let round = 0; round < 300; round++) {
      const most = 4 + random(9);
      let all = Array.from({ length: random(60) }, () => receipt(random(5) === 0 ? 0 : random(1_000)));
      const charged = all.reduce((total, { amount }) => total + Number(amount), 0);
      // As many as have places, and less than was charged in all.
      let left = charged - 60;
      for (let given = random(Math.ceil(most / 4) + 1); given > 0 && left > 0; given--) {
        const credit = 1 + random(left);
        left -= credit;
        all.splice(random(all.length + 1), 0, receipt(-credit));
      }
      let owed = all.reduce((total, { amount }) => total + amount, 0n);
      let dues = 0;
      for (; owed > 0n; dues++) {
        const waiting = waitingOf(all, most);
        const choice = chooseReceipts(waiting, most);
        if (!choice) throw new Error(`round ${round}: ${owed} is owed, and nothing chosen`);
        const { receipts, part, sum } = choice;
        expect(receipts.length + (part ? 1 : 0)).toBeLessThanOrEqual(most);
        expect(new Set(receipts).size).toBe(receipts.length);
        const total = receipts.reduce((so, { amount }) => so + amount, part?.amount ?? 0n);
        expect(total).toBe(sum);
        expect(sum > 0n && sum <= waiting.owed).toBe(true);
        if (part) expect(part.amount < 0n && part.amount > part.of.amount).toBe(true);
        all = without(all, choice);
        owed -= sum;
      }
      expect(dues).toBeLessThanOrEqual(60);
      expect(all.filter(({ amount }) => amount !== 0n)).toEqual([]);
    }
  });
});
