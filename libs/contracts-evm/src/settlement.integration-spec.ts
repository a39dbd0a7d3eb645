import { JsonRpcSigner, MaxUint256, toBeHex, ZeroAddress } from 'ethers';
import { deployContracts, duesRoot, settlementAt, testUsdcAt } from './index';
import type { Due, Settlement, TestUsdc } from './index';
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

describe('Settlement', () => {
  let chain: PrivateChain;
  let deployment: Deployment;
  let token: TestUsdc;
  let contract: Settlement;
  let alice: JsonRpcSigner;
  let bob: JsonRpcSigner;

  /** Gives the payer tokens and lets the contract spend some of them. */
  async function fund(payer: JsonRpcSigner, balance: bigint, allowance: bigint): Promise<void> {
    const payersToken = testUsdcAt(deployment.usdc, payer);
    await mined(payersToken.faucet(payer.address, balance));
    await mined(payersToken.approve(deployment.settlement, allowance));
  }
  const settle = (label: number, ...dues: Due[]) =>
    eventsOf(contract.settle(bytes32(label), dues), contract.interface);
  const namesOf = (events: { name: string }[]) => events.map(({ name }) => name);

  beforeAll(async () => {
    chain = await startPrivateChain();
    [alice, bob] = [await chain.signer(1), await chain.signer(2)];
  });
  afterAll(() => chain.stop());
  beforeEach(async () => {
    deployment = await deployFresh(chain);
    ({ token, contract } = deployment);
  });

  it('pulls what is due to the treasury and says so', async () => {
    await fund(alice, usd(10), usd(10));
    const events = await settle(1, due(alice.address, usd(3), 42));
    expect(events).toEqual([
      {
        name: 'Pulled',
        args: {
          batchId: bytes32(1),
          payer: alice.address,
          amount: usd(3),
          pulled: usd(3),
          cumulative: usd(3),
          root: bytes32(42),
        },
      },
      {
        name: 'BatchSettled',
        args: { batchId: bytes32(1), root: expect.any(String) as string, dues: 1n, amount: usd(3) },
      },
    ]);
    expect(await token.balanceOf(deployment.treasury)).toBe(usd(3));
    expect(await token.balanceOf(deployment.settlement)).toBe(0n);
    expect(await contract.pulled(alice.address)).toBe(usd(3));
    expect(await contract.totalPulled()).toBe(usd(3));
  });

  it('pulls nothing on a replay, an older total or a total already pulled', async () => {
    await fund(alice, usd(10), usd(10));
    await settle(1, due(alice.address, usd(3)));
    expect(namesOf(await settle(1, due(alice.address, usd(3))))).toEqual(['BatchSettled']);
    expect(namesOf(await settle(2, due(alice.address, usd(2))))).toEqual(['BatchSettled']);
    expect(namesOf(await settle(3, due(alice.address, usd(3))))).toEqual(['BatchSettled']);
    await settle(4, due(alice.address, usd(5)));
    expect(await token.balanceOf(deployment.treasury)).toBe(usd(5));
  });

  it.each([
    ['balance', usd(2), usd(10)],
    ['allowance', usd(10), usd(2)],
  ])('pulls what the %s covers and the rest later', async (_name, balance, allowance) => {
    await fund(alice, balance, allowance);
    await settle(1, due(alice.address, usd(5)));
    expect(await contract.pulled(alice.address)).toBe(usd(2));
    await fund(alice, usd(10), usd(10));
    await settle(1, due(alice.address, usd(5)));
    expect(await contract.pulled(alice.address)).toBe(usd(5));
  });

  it('leaves one bad payer out and pulls from the others', async () => {
    await fund(alice, usd(10), usd(10));
    await fund(bob, usd(10), usd(10));
    await mined(token.blacklist(alice.address));
    const events = await settle(
      1,
      due(alice.address, usd(4)),
      due(ZeroAddress, usd(4)),
      due(deployment.settlement, usd(4)),
      due(bob.address, usd(4)),
    );
    expect(namesOf(events)).toEqual(['PullFailed', 'Pulled', 'BatchSettled']);
    expect(events[0]?.args).toEqual({ batchId: bytes32(1), payer: alice.address, amount: usd(4) });
    expect(await contract.pulled(alice.address)).toBe(0n);
    expect(await contract.pulled(bob.address)).toBe(usd(4));
    await mined(token.unBlacklist(alice.address));
    await settle(2, due(alice.address, usd(4)));
    expect(await contract.pulled(alice.address)).toBe(usd(4));
  });

  it('goes through with nothing pulled while the token is paused', async () => {
    await fund(alice, usd(10), usd(10));
    await mined(token.pause());
    expect(namesOf(await settle(1, due(alice.address, usd(4))))).toEqual(['PullFailed', 'BatchSettled']);
    expect(await contract.pulled(alice.address)).toBe(0n);
  });

  it('refuses when the gas would not do for every pull, instead of passing payers over', async () => {
    await fund(alice, usd(10), usd(10));
    const call = contract.settle.staticCall(bytes32(1), [due(alice.address, usd(4))], { gasLimit: 150_000 });
    expect(await refusal(call, contract.interface)).toBe('GasTooLow');
  });

  it('refuses other dues under a used batch id, an empty batch and one that is too large', async () => {
    await settle(1, due(alice.address, usd(1)));
    const conflict = contract.settle(bytes32(1), [due(alice.address, usd(2))]);
    expect(await refusal(conflict, contract.interface)).toBe('BatchConflict');
    expect(await refusal(contract.settle(bytes32(2), []), contract.interface)).toBe('EmptyBatch');
    const many = Array.from({ length: Number(await contract.MAX_DUES()) + 1 }, () => due(alice.address, 1n));
    expect(await refusal(contract.settle(bytes32(3), many), contract.interface)).toBe('BatchTooLarge');
  });

  it.each([1, 2, 3, 5, 8])('keeps the Merkle root of a batch of %i dues', async (count) => {
    const dues = Array.from({ length: count }, (_, index) =>
      due(toBeHex(index + 1, 20), BigInt(index), index),
    );
    const events = await settle(1, ...dues);
    expect(events.at(-1)?.args.root).toBe(duesRoot(dues));
    expect(await contract.batchRoot(bytes32(1))).toBe(duesRoot(dues));
  });

  it('pulls no more from a payer than its cap of the day, and the rest the day after', async () => {
    await mined(contract.setCaps({ payerDay: usd(3), allDay: usd(100), payoutDay: usd(1) }));
    await fund(alice, usd(10), usd(10));
    await settle(1, due(alice.address, usd(2)));
    await settle(2, due(alice.address, usd(7)));
    expect(await contract.pulled(alice.address)).toBe(usd(3));
    await chain.provider.send('evm_increaseTime', [86_400]);
    await settle(3, due(alice.address, usd(7)));
    expect(await contract.pulled(alice.address)).toBe(usd(6));
  });

  it('pulls no more in all than the cap of the day, and nothing once a cap was lowered below that', async () => {
    await mined(contract.setCaps({ payerDay: usd(100), allDay: usd(5), payoutDay: usd(1) }));
    await fund(alice, usd(10), usd(10));
    await fund(bob, usd(10), usd(10));
    await settle(1, due(alice.address, usd(3)), due(bob.address, usd(3)));
    expect(await contract.pulled(bob.address)).toBe(usd(2));
    await mined(contract.setCaps({ payerDay: usd(100), allDay: usd(4), payoutDay: usd(1) }));
    await settle(2, due(bob.address, usd(3)));
    expect(await contract.totalPulled()).toBe(usd(5));
    await chain.provider.send('evm_increaseTime', [86_400]);
    await settle(3, due(bob.address, usd(3)));
    expect(await contract.totalPulled()).toBe(usd(6));
  });

  it('keeps roles apart: the settler settles, the pauser only pauses, the admin does the rest', async () => {
    const [settler, pauser, admin] = [await chain.signer(3), await chain.signer(4), await chain.signer(5)];
    deployment = await deployFresh(chain, {
      settler: settler.address,
      pauser: pauser.address,
      admin: admin.address,
    });
    const as = (signer: JsonRpcSigner) => settlementAt(deployment.settlement, signer);
    const { interface: abi } = deployment.contract;
    const refused = 'AccessControlUnauthorizedAccount';
    const dues = [due(alice.address, usd(1))];
    for (const other of [pauser, admin, alice]) {
      expect(await refusal(as(other).settle(bytes32(1), dues), abi)).toBe(refused);
    }
    for (const other of [settler, admin]) expect(await refusal(as(other).pause(), abi)).toBe(refused);
    await mined(as(pauser).pause());
    expect(await refusal(as(settler).settle(bytes32(1), dues), abi)).toBe('EnforcedPause');
    expect(await refusal(as(pauser).unpause(), abi)).toBe(refused);
    await mined(as(admin).unpause());
    await mined(as(settler).settle(bytes32(1), dues));
    expect(await refusal(as(settler).setCaps({ payerDay: 1n, allDay: 1n, payoutDay: usd(1) }), abi)).toBe(
      refused,
    );
    const settlerRole = await as(admin).SETTLER_ROLE();
    expect(await refusal(as(settler).grantRole(settlerRole, alice.address), abi)).toBe(refused);
    await mined(as(admin).revokeRole(settlerRole, settler.address));
    expect(await refusal(as(settler).settle(bytes32(2), dues), abi)).toBe(refused);
  });

  it('cannot be deployed without a treasury or a token', async () => {
    const deployer = await chain.signer(0);
    await expect(deployContracts(deployer, { treasury: ZeroAddress })).rejects.toThrow(/revert/);
  });

  it('settles the largest batch within the gas a transaction may use', async () => {
    const count = Number(await contract.MAX_DUES());
    const payers = Array.from({ length: count }, (_, index) => toBeHex(0xabc0000 + index, 20));
    const prepare = async (payer: string) => {
      await chain.provider.send('anvil_impersonateAccount', [payer]);
      await chain.provider.send('anvil_setBalance', [payer, '0xde0b6b3a7640000']);
      await fund(new JsonRpcSigner(chain.provider, payer), usd(1), MaxUint256);
    };
    await Promise.all(payers.map(prepare));
    const dues = payers.map((payer) => due(payer, usd(1)));
    const receipt = await mined(contract.settle(bytes32(1), dues, { gasLimit: 2n ** 24n }));
    expect(await contract.totalPulled()).toBe(usd(1) * BigInt(count));

    expect(receipt.gasUsed).toBeLessThan(2n ** 24n);
  });
});
