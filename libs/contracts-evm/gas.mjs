// Measures on a chain of its own what settling and paying out take, and prints the table of docs/contracts.md.
// Run by `npx nx run @svc/contracts-evm:gas`, which builds first.
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const require = createRequire(import.meta.url);
const evm = require('@svc/contracts-evm');
const { freePort, localChainId, startAnvil } = require('@svc/local-servers');
const { JsonRpcSigner, toBeHex } = require('ethers');

const batchSizes = [1, 50, 200, 250];
const providers = 200;
/** EIP-7825: the most gas a transaction may use. */
const transactionLimit = 2n ** 24n;
const ample = { gasLimit: transactionLimit };

const dataDir = mkdtempSync(join(tmpdir(), 'svc-gas-'));
const server = await startAnvil({ dataDir, port: await freePort() });
const provider = await evm.connectChain({
  rpcUrl: server.url,
  chainId: BigInt(localChainId),
  pollingIntervalMs: 20,
});
try {
  const rows = [];
  for (const size of batchSizes) rows.push(...(await measureBatches(size)));
  rows.push(...(await measurePayouts()));
  print(rows);
} finally {
  provider.destroy();
  await server.stop();
  rmSync(dataDir, { recursive: true, force: true });
}

/** Contracts that have been in use: no slot that all share is written for the first time. */
async function deploy() {
  const [deployer, treasury, early] = await Promise.all([0, 9, 1].map((index) => provider.getSigner(index)));
  const deployed = await evm.deployContracts(deployer, { treasury: treasury.address });
  const contract = evm.settlementAt(deployed.settlement, deployer);
  await fund(deployed, early);
  await gasOf(contract.settle(word(1), [due(early.address, 5n)]));
  return { ...deployed, contract, treasury };
}

async function measureBatches(size) {
  const deployed = await deploy();
  const payers = Array.from({ length: size }, (_, index) => toBeHex(0xabc0000 + index, 20));
  await Promise.all(payers.map(async (payer) => fund(deployed, await impersonate(payer))));
  const settle = (label, cumulative) =>
    gasOf(
      deployed.contract.settle(
        word(label),
        payers.map((payer) => due(payer, cumulative)),
        ample,
      ),
    );
  return [
    [`settle, ${count(size, 'payer')} for the first time`, await settle(2, 10n), size],
    [`settle, ${count(size, 'payer')} again`, await settle(3, 20n), size],
  ];
}

async function measurePayouts() {
  const { contract, treasury, usdc, settlement } = await deploy();
  await fund({ usdc, settlement }, treasury);
  const earners = Array.from({ length: providers }, (_, index) => toBeHex(0xdef0000 + index, 20));
  const publish = (cumulative) => {
    const earnings = earners.map((address) => ({ provider: address, cumulative }));
    return gasOf(contract.publishPayoutRoot(evm.payoutRoot(earnings)));
  };
  const claim = (index, cumulative) => {
    const leaves = earners.map((address) => evm.payoutLeaf({ provider: address, cumulative }));
    return gasOf(contract.claim(earners[index], cumulative, evm.merkleTree(leaves).proof(index)));
  };
  await publish(10n);
  await claim(1, 10n);
  const first = await claim(0, 10n);
  const published = await publish(20n);
  return [
    ['publishPayoutRoot', published, 1],
    [`claim, a provider for the first time (of ${providers})`, first, 1],
    [`claim, a provider again (of ${providers})`, await claim(0, 20n), 1],
  ];
}

/** Gives the account tokens and lets the contract spend a part, so that neither ends at 0. */
async function fund({ usdc, settlement }, signer) {
  const token = evm.testUsdcAt(usdc, signer);
  await gasOf(token.faucet(signer.address, 1_000_000n));
  await gasOf(token.approve(settlement, 500_000n));
}

async function impersonate(address) {
  await provider.send('anvil_impersonateAccount', [address]);
  await provider.send('anvil_setBalance', [address, toBeHex(10n ** 18n)]);
  return new JsonRpcSigner(provider, address);
}

async function gasOf(sending) {
  const { hash } = await sending;
  // Asked for directly: ethers' own waiting would go on polling a node that has been stopped.
  let receipt = null;
  while (receipt === null) receipt = await provider.getTransactionReceipt(hash);
  if (receipt.status !== 1) throw new Error(`${hash} failed`);
  return receipt.gasUsed;
}

function due(payer, cumulative) {
  return { payer, cumulative, root: word(7) };
}

function word(label) {
  return toBeHex(label, 32);
}

function count(number, noun) {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

function print(rows) {
  const digits = (value) => value.toLocaleString('en-US');
  console.log('| transaction | gas | gas each | of the limit |\n| --- | ---: | ---: | ---: |');
  for (const [title, gas, size] of rows) {
    const share = `${((Number(gas) / Number(transactionLimit)) * 100).toFixed(1)} %`;
    console.log(`| ${title} | ${digits(gas)} | ${digits(gas / BigInt(size))} | ${share} |`);
  }
}
