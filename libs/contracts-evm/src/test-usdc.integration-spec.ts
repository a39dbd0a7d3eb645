import { MaxUint256, Signature, Wallet } from 'ethers';
import type { JsonRpcSigner } from 'ethers';
import { testUsdcAt } from './index';
import type { TestUsdc } from './index';
import { deployFresh, eventsOf, mined, refusal, startPrivateChain } from './private-chain.for-spec';
import type { Deployment, PrivateChain } from './private-chain.for-spec';

describe('TestUSDC', () => {
  let chain: PrivateChain;
  let deployment: Deployment;
  let token: TestUsdc;
  let alice: JsonRpcSigner;
  let bob: JsonRpcSigner;
  const as = (signer: JsonRpcSigner) => testUsdcAt(deployment.usdc, signer);

  beforeAll(async () => {
    chain = await startPrivateChain();
    [alice, bob] = [await chain.signer(1), await chain.signer(2)];
  });
  afterAll(() => chain.stop());
  beforeEach(async () => {
    deployment = await deployFresh(chain);
    ({ token } = deployment);
  });

  it('has six decimals and says that it is a test', async () => {
    expect(await token.decimals()).toBe(6n);
    expect(await token.name()).toBe('Test USD Coin');
    expect(await token.symbol()).toBe('tUSDC');
  });

  it('lets anybody mint up to the cap of a call', async () => {
    const cap = await token.FAUCET_CAP();
    expect(cap).toBe(10_000_000_000n);
    await mined(as(alice).faucet(bob.address, cap));
    expect(await token.balanceOf(bob.address)).toBe(cap);
    expect(await refusal(as(alice).faucet(bob.address, cap + 1n), token.interface)).toBe('FaucetCapExceeded');
  });

  it('takes an EIP-2612 permit once, and no other signer for it', async () => {
    const owner = Wallet.createRandom();
    const { chainId } = await chain.provider.getNetwork();
    const domain = { name: 'Test USD Coin', version: '1', chainId, verifyingContract: deployment.usdc };
    const types = {
      Permit: [
        { name: 'owner', type: 'address' },
        { name: 'spender', type: 'address' },
        { name: 'value', type: 'uint256' },
        { name: 'nonce', type: 'uint256' },
        { name: 'deadline', type: 'uint256' },
      ],
    };
    const value = { owner: owner.address, spender: bob.address, value: 5n, nonce: 0n, deadline: MaxUint256 };
    const submit = (signature: string) => {
      const { v, r, s } = Signature.from(signature);
      return as(alice).permit(owner.address, bob.address, 5n, MaxUint256, v, r, s);
    };
    const signature = await owner.signTypedData(domain, types, value);
    const foreign = await Wallet.createRandom().signTypedData(domain, types, value);
    expect(await refusal(submit(foreign), token.interface)).toBe('ERC2612InvalidSigner');
    await mined(submit(signature));
    expect(await token.allowance(owner.address, bob.address)).toBe(5n);
    expect(await token.nonces(owner.address)).toBe(1n);
    expect(await refusal(submit(signature), token.interface)).toBe('ERC2612InvalidSigner');
  });

  it.each([
    ['a limited allowance', 100n],
    ['the maximum allowance', MaxUint256],
  ])('spends %s without an Approval event', async (_name, allowance) => {
    await mined(as(alice).faucet(alice.address, 100n));
    await mined(as(alice).approve(bob.address, allowance));
    const events = await eventsOf(as(bob).transferFrom(alice.address, bob.address, 60n), token.interface);
    expect(events.map(({ name }) => name)).toEqual(['Transfer']);
    expect(await token.allowance(alice.address, bob.address)).toBe(allowance - 60n);
  });

  it('refuses to move more than the allowance', async () => {
    await mined(as(alice).faucet(alice.address, 100n));
    await mined(as(alice).approve(bob.address, 10n));
    const call = as(bob).transferFrom(alice.address, bob.address, 11n);
    expect(await refusal(call, token.interface)).toBe('ERC20InsufficientAllowance');
  });

  it('shuts a blacklisted account out as sender, receiver, approver, spender and caller', async () => {
    await mined(as(alice).faucet(alice.address, 100n));
    await mined(as(alice).approve(bob.address, MaxUint256));
    await mined(token.blacklist(bob.address));
    const refused = [
      as(bob).transfer(alice.address, 0n),
      as(alice).transfer(bob.address, 1n),
      as(bob).approve(alice.address, 1n),
      as(alice).approve(bob.address, 1n),
      as(bob).transferFrom(alice.address, deployment.treasury, 1n),
      as(alice).faucet(bob.address, 1n),
    ];
    for (const call of refused) expect(await refusal(call, token.interface)).toBe('AccountBlacklisted');
    await mined(token.unBlacklist(bob.address));
    await mined(as(bob).transferFrom(alice.address, bob.address, 1n));
  });

  it('stops transfers and approvals while paused', async () => {
    await mined(as(alice).faucet(alice.address, 100n));
    await mined(token.pause());
    expect(await refusal(as(alice).transfer(bob.address, 1n), token.interface)).toBe('EnforcedPause');
    expect(await refusal(as(alice).approve(bob.address, 1n), token.interface)).toBe('EnforcedPause');
    await mined(token.unpause());
    await mined(as(alice).transfer(bob.address, 1n));
  });

  it('lets only its owner blacklist and pause', async () => {
    expect(await refusal(as(alice).pause(), token.interface)).toBe('OwnableUnauthorizedAccount');
    expect(await refusal(as(alice).blacklist(bob.address), token.interface)).toBe(
      'OwnableUnauthorizedAccount',
    );
  });
});
