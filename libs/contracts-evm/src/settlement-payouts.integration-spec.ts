import { MaxUint256, ZeroAddress, ZeroHash } from 'ethers';
import type { JsonRpcSigner } from 'ethers';
import { merkleTree, payoutLeaf, payoutRoot, settlementAt, testUsdcAt } from './index';
import type { Earning, Settlement, TestUsdc } from './index';
import {
  bytes32,
  deployFresh,
  due,
  eventsOf,
  mined,
  refusal,
  startPrivateChain,
} from './private-chain.for-spec';
import type { Deployment, PrivateChain } from './private-chain.for-spec';

const usd = (whole: number) => BigInt(whole) * 1_000_000n;

describe("Settlement's payouts", () => {
  let chain: PrivateChain;
  let deployment: Deployment;
  let token: TestUsdc;
  let contract: Settlement;
  let treasury: JsonRpcSigner;
  let north: JsonRpcSigner;
  let south: JsonRpcSigner;
  let earnings: Earning[];

  const as = (signer: JsonRpcSigner) => settlementAt(deployment.settlement, signer);
  const publish = (...lines: Earning[]) => {
    earnings = lines;
    return eventsOf(contract.publishPayoutRoot(payoutRoot(lines)), contract.interface);
  };
  const proofOf = (index: number) => merkleTree(earnings.map(payoutLeaf)).proof(index);
  /** Claims the line of the last published tree, as a stranger would. */
  const claim = async (index: number) => {
    const { provider, cumulative } = earnings[index] as Earning;
    const stranger = as(await chain.signer(8));
    return eventsOf(stranger.claim(provider, cumulative, proofOf(index)), contract.interface);
  };
  const earned = (provider: { address: string }, cumulative: bigint) => ({
    provider: provider.address,
    cumulative,
  });
  async function fillTreasury(balance: bigint, allowance: bigint): Promise<void> {
    const its = testUsdcAt(deployment.usdc, treasury);
    await mined(its.faucet(treasury.address, balance));
    await mined(its.approve(deployment.settlement, allowance));
  }

  beforeAll(async () => {
    chain = await startPrivateChain();
    [north, south, treasury] = await Promise.all([chain.signer(1), chain.signer(2), chain.signer(9)]);
  });
  afterAll(() => chain.stop());
  beforeEach(async () => {
    deployment = await deployFresh(chain);
    ({ token, contract } = deployment);
  });

  it('go from the treasury to the provider, whoever claims, and say so', async () => {
    await fillTreasury(usd(100), usd(100));
    expect(await publish(earned(north, usd(3)), earned(south, usd(4)))).toEqual([
      { name: 'PayoutRootPublished', args: { root: payoutRoot(earnings) } },
    ]);
    expect(await contract.payoutRoot()).toBe(payoutRoot(earnings));
    expect(await claim(0)).toEqual([
      {
        name: 'Paid',
        args: { provider: north.address, amount: usd(3), paid: usd(3), cumulative: usd(3) },
      },
    ]);
    expect(await claim(1)).toHaveLength(1);
    expect(await token.balanceOf(north.address)).toBe(usd(3));
    expect(await token.balanceOf(south.address)).toBe(usd(4));
    expect(await token.balanceOf(treasury.address)).toBe(usd(93));
    expect(await token.balanceOf(deployment.settlement)).toBe(0n);
    expect([await contract.paid(north.address), await contract.totalPaid()]).toEqual([usd(3), usd(7)]);
  });

  it('pay nothing twice, and of a later root only what it adds', async () => {
    await fillTreasury(usd(100), usd(100));
    await publish(earned(north, usd(3)), earned(south, usd(1)));
    await claim(0);
    expect(await claim(0)).toEqual([]);
    await publish(earned(north, usd(2)), earned(south, usd(1)));
    expect(await claim(0)).toEqual([]);
    await publish(earned(north, usd(5)), earned(south, usd(1)));
    expect((await claim(0))[0]?.args).toMatchObject({ amount: usd(2), paid: usd(5) });
    expect(await token.balanceOf(north.address)).toBe(usd(5));
  });

  it.each([1, 2, 3, 5, 8])('prove each line of a tree of %i', async (count) => {
    await fillTreasury(usd(100), usd(100));
    const providers = Array.from(
      { length: count },
      (_, index) => `0x${(0xabc00 + index).toString(16).padStart(40, '0')}`,
    );
    await publish(...providers.map((address, index) => earned({ address }, BigInt(index + 1))));
    for (const index of providers.keys()) expect(await claim(index)).toHaveLength(1);
    expect(await contract.totalPaid()).toBe(BigInt((count * (count + 1)) / 2));
  });

  it.each([
    ['balance', usd(2), usd(10)],
    ['approval', usd(10), usd(2)],
  ])("pay what the treasury's %s covers and the rest later", async (_name, balance, allowance) => {
    await fillTreasury(balance, allowance);
    await publish(earned(north, usd(5)));
    expect((await claim(0))[0]?.args).toMatchObject({ amount: usd(2) });
    expect(await claim(0)).toEqual([]);
    await fillTreasury(usd(10), usd(10));
    expect((await claim(0))[0]?.args).toMatchObject({ amount: usd(3), paid: usd(5) });
  });

  it('pay no more in all than the cap of the day, and the rest the day after', async () => {
    await fillTreasury(usd(100), usd(100));
    await mined(contract.setCaps({ payerDay: 0n, allDay: 0n, payoutDay: usd(5) }));
    await publish(earned(north, usd(3)), earned(south, usd(4)));
    await claim(0);
    expect((await claim(1))[0]?.args).toMatchObject({ amount: usd(2) });
    expect(await claim(1)).toEqual([]);
    await mined(contract.setCaps({ payerDay: 0n, allDay: 0n, payoutDay: usd(1) }));
    expect(await claim(1)).toEqual([]);
    await chain.provider.send('evm_increaseTime', [86_400]);
    expect((await claim(1))[0]?.args).toMatchObject({ amount: usd(1) });
    expect(await contract.totalPaid()).toBe(usd(6));
  });

  it('leave a provider the token refuses for later, and pay the others', async () => {
    await fillTreasury(usd(100), usd(100));
    await mined(token.blacklist(north.address));
    await publish(earned(north, usd(3)), earned(south, usd(4)), earned({ address: ZeroAddress }, usd(1)));
    const failed = { name: 'PayoutFailed', args: { provider: north.address, amount: usd(3) } };
    expect(await claim(0)).toEqual([failed]);
    expect((await claim(1))[0]?.name).toBe('Paid');
    expect((await claim(2))[0]?.name).toBe('PayoutFailed');
    expect(await contract.totalPaid()).toBe(usd(4));
    await mined(token.unBlacklist(north.address));
    expect((await claim(0))[0]?.args).toMatchObject({ amount: usd(3) });
  });

  it('wait while the token is paused', async () => {
    await fillTreasury(usd(100), usd(100));
    await publish(earned(north, usd(3)));
    await mined(token.pause());
    expect((await claim(0))[0]?.name).toBe('PayoutFailed');
    await mined(token.unpause());
    expect((await claim(0))[0]?.name).toBe('Paid');
  });

  it('refuse what the root does not hold', async () => {
    await fillTreasury(usd(100), usd(100));
    const { interface: abi } = contract;
    const refused = 'NotInPayoutRoot';
    expect(await refusal(contract.claim(north.address, usd(3), []), abi)).toBe(refused);
    await publish(earned(north, usd(3)), earned(south, usd(4)));
    const proof = proofOf(0);
    expect(await refusal(contract.claim(north.address, usd(4), proof), abi)).toBe(refused);
    expect(await refusal(contract.claim(south.address, usd(3), proof), abi)).toBe(refused);
    expect(await refusal(contract.claim(north.address, usd(3), []), abi)).toBe(refused);
    expect(await refusal(contract.claim(north.address, usd(3), [...proof, ZeroHash]), abi)).toBe(refused);
    await publish(earned(north, usd(4)), earned(south, usd(4)));
    expect(await refusal(contract.claim(north.address, usd(3), proof), abi)).toBe(refused);
    await mined(contract.publishPayoutRoot(ZeroHash));
    expect(await refusal(claim(0), abi)).toBe(refused);
    expect(await contract.totalPaid()).toBe(0n);
  });

  it('refuse the contract and the treasury as providers, and the treasury as payer', async () => {
    await fillTreasury(usd(100), usd(100));
    await publish(earned({ address: deployment.settlement }, usd(3)), earned(treasury, usd(4)));
    for (const index of [0, 1])
      expect(await refusal(claim(index), contract.interface)).toBe('InvalidProvider');
    const events = await eventsOf(
      contract.settle(bytes32(1), [due(treasury.address, usd(5))]),
      contract.interface,
    );
    expect(events.map(({ name }) => name)).toEqual(['BatchSettled']);
    expect(await token.allowance(treasury.address, deployment.settlement)).toBe(usd(100));
  });

  it('refuse too little gas instead of passing a provider over', async () => {
    await fillTreasury(usd(100), usd(100));
    await publish(earned(north, usd(3)));
    const call = contract.claim.staticCall(north.address, usd(3), [], { gasLimit: 150_000 });
    expect(await refusal(call, contract.interface)).toBe('GasTooLow');
  });

  it('are the payer’s word alone: not the settler’s, not the admin’s', async () => {
    const [admin, settler, payer, pauser] = await Promise.all(
      [3, 4, 5, 6].map((index) => chain.signer(index)),
    );
    if (!admin || !settler || !payer || !pauser) throw new Error('no signers');
    deployment = await deployFresh(chain, {
      admin: admin.address,
      settler: settler.address,
      payer: payer.address,
      pauser: pauser.address,
    });
    ({ token, contract } = deployment);
    await fillTreasury(usd(100), usd(100));
    earnings = [earned(north, usd(3))];
    const { interface: abi } = contract;
    const unauthorized = 'AccessControlUnauthorizedAccount';
    for (const other of [admin, settler, pauser, north]) {
      expect(await refusal(as(other).publishPayoutRoot(bytes32(1)), abi)).toBe(unauthorized);
    }
    const dues = [due(north.address, usd(1))];
    expect(await refusal(as(payer).settle(bytes32(1), dues), abi)).toBe(unauthorized);
    expect(await refusal(as(payer).setCaps({ payerDay: 1n, allDay: 1n, payoutDay: 1n }), abi)).toBe(
      unauthorized,
    );
    expect(await refusal(as(payer).pause(), abi)).toBe(unauthorized);
    await mined(as(payer).publishPayoutRoot(payoutRoot(earnings)));

    await mined(as(pauser).pause());
    expect(await refusal(claim(0), abi)).toBe('EnforcedPause');
    // A root can be replaced before claims go on.
    await mined(as(payer).publishPayoutRoot(ZeroHash));
    await mined(as(admin).unpause());
    expect(await refusal(claim(0), abi)).toBe('NotInPayoutRoot');
  });

  it('leave nothing open at deployment: every role has a holder', async () => {
    await expect(deployFresh(chain, { payer: ZeroAddress })).rejects.toThrow(/revert/);
  });
});

describe("Settlement's batch status", () => {
  let chain: PrivateChain;
  beforeAll(async () => {
    chain = await startPrivateChain();
  });
  afterAll(() => chain.stop());

  it('tells root, pause, what is left of the day and what was pulled, of one block', async () => {
    const { contract, usdc, settlement } = await deployFresh(chain, {
      caps: { payerDay: usd(10), allDay: usd(5), payoutDay: 0n },
    });
    const alice = await chain.signer(1);
    const wallets = [alice.address, ZeroAddress];
    expect([...(await contract.batchStatus(bytes32(1), wallets))]).toEqual([
      ZeroHash,
      false,
      usd(5),
      [0n, 0n],
    ]);
    await mined(testUsdcAt(usdc, alice).faucet(alice.address, usd(3)));
    await mined(testUsdcAt(usdc, alice).approve(settlement, MaxUint256));
    await mined(contract.settle(bytes32(1), [due(alice.address, usd(4))]));
    await mined(contract.pause());
    const root = await contract.batchRoot(bytes32(1));
    expect([...(await contract.batchStatus(bytes32(1), wallets))]).toEqual([
      root,
      true,
      usd(2),
      [usd(3), 0n],
    ]);
  });
});
