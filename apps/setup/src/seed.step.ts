import { NATS_LOGIN } from '@svc/config';
import { connectChain } from '@svc/contracts-evm';
import { billingContracts, catalogContracts } from '@svc/contracts';
import { RpcClient, connectMessaging } from '@svc/messaging';
import type { Logger } from '@svc/observability';
import { computeAddress } from 'ethers';
import { patientCalls } from './call-service';
import type { CallService } from './call-service';
import { buildCatalogue, parseSeedProviders, readCatalogueSeed } from './catalogue-seed';
import { developmentKey, DEVELOPMENT_WALLET_INDEX } from './development-accounts';
import { ensureDevelopmentKey } from './development-key';
import { fundWallet, mineBlocks } from './fund-wallet';
import { writeProviderFiles } from './provider-files';
import type { SeedConfig } from './setup.config';
import { readState, writeState } from './setup-state';
import type { SetupState } from './setup-state';
import { waitUntil } from './wait-until';

/** More blocks than any watcher's depth asks for. */
const BLOCKS_TO_MINE = 32;

/**
 * Fills an empty market so that it can be tried: a wallet with test USDC, a key bound to it, a catalogue, and files with which the
 * first providers make their offers. Running it again changes nothing that is already so.
 * @throws Error when there are no contracts yet; SvcError what a service refused; AbortError when the time is up
 */
export async function runSeed(config: SeedConfig, logger: Logger, signal: AbortSignal): Promise<void> {
  const state = await readState(config.stateFile);
  const privateKey = config.seedWalletKey ?? developmentKey(DEVELOPMENT_WALLET_INDEX);
  await fundOnChain(config, state, privateKey, logger);
  const { natsUrl, natsUser, natsPassword } = config;
  const login = { natsUser, natsPassword, loginIsFrom: NATS_LOGIN };
  const messaging = await connectMessaging('setup', { natsUrl, ...login });
  try {
    const call = patientCalls(new RpcClient(messaging), signal);
    await openAccount(config, call, { ...state, walletPrivateKey: privateKey }, logger);
    await seedMarket(config, call, logger);
    await untilSpendable(call, computeAddress(privateKey).toLowerCase(), { logger, signal });
  } finally {
    await messaging.connection.close();
  }
}

async function fundOnChain(
  config: SeedConfig,
  { usdc, settlement }: SetupState,
  privateKey: string,
  logger: Logger,
): Promise<void> {
  if (!usdc || !settlement) throw new Error(`${config.stateFile} names no contracts: run "contracts" first`);
  const provider = await connectChain({ rpcUrl: config.chainRpcUrl, chainId: BigInt(config.chainId) });
  try {
    const transactions = await fundWallet(provider, { privateKey, usdc, settlement });
    const mined = transactions > 0 && (await mineBlocks(provider, BLOCKS_TO_MINE));
    logger.info({ transactions, mined }, 'wallet is funded');
  } finally {
    provider.destroy();
  }
}

/** Makes the wallet known to billing, and a key for it. */
async function openAccount(
  config: SeedConfig,
  call: CallService,
  state: SetupState & { walletPrivateKey: string },
  logger: Logger,
): Promise<void> {
  const wallet = computeAddress(state.walletPrivateKey).toLowerCase();
  await call(billingContracts.registerWallet, { wallet });
  const apiKey = await ensureDevelopmentKey(call, {
    wallet,
    known: state.apiKey,
    prefix: config.environment.keyPrefix,
    pepper: config.keyPepper,
  });
  await writeState(config.stateFile, { ...state, wallet, apiKey });
  logger.info({ wallet }, 'account is open');
}

/** Defines what may be sold, and writes down what the first providers will say they sell. */
async function seedMarket(config: SeedConfig, call: CallService, logger: Logger): Promise<void> {
  const seed = await readCatalogueSeed(config.seedFile);
  const sellers = parseSeedProviders(config.seedProviders);
  const catalogue = buildCatalogue(seed, sellers, {
    environment: config.environment,
    vendorUrl: config.seedVendorUrl,
  });
  const applied = await call(catalogContracts.applyCatalogue, catalogue);
  const state = await readState(config.stateFile);
  const providers = await writeProviderFiles(config.seedProvidersDir, seed, catalogue, sellers, {
    url: config.seedMarketUrl,
    chainId: config.chainId,
    settlement: state.settlement ?? '',
    chainRpcUrl: config.chainRpcUrl,
  });
  await writeState(config.stateFile, { ...state, providers });
  logger.info({ ...applied, providers: providers.length }, 'catalogue applied');
}

async function untilSpendable(
  call: CallService,
  wallet: string,
  { logger, signal }: { logger: Logger; signal: AbortSignal },
): Promise<void> {
  const spendable = await waitUntil(async () => {
    const position = await call(billingContracts.showWallet, { wallet });
    return BigInt(position.spendable) > 0n ? position.spendable : undefined;
  }, signal);
  logger.info({ wallet, spendable }, 'wallet is spendable');
}
