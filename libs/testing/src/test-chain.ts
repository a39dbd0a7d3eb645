import { HDNodeWallet, Mnemonic } from 'ethers';
import { localChainId } from '@svc/local-servers';
import { testEnvironment } from './test-environment';

/** An account of the local chain, funded with 10,000 ETH. */
interface TestAccount {
  address: string;
  privateKey: string;
}

interface TestChain {
  rpcUrl: string;
  chainId: number;
  /** The ten accounts of the development mnemonic, which everybody knows: worth nothing elsewhere. */
  accounts: readonly TestAccount[];
}

const developmentMnemonic = 'test test test test test test test test test test test junk';
const accountCount = 10;
let accounts: readonly TestAccount[] | undefined;

/** The test chain. All tests share it: deploy contracts of your own, or use accounts nobody else does. */
export function testChain(): TestChain {
  return { rpcUrl: testEnvironment('chainUrl'), chainId: localChainId, accounts: (accounts ??= derive()) };
}

function derive(): TestAccount[] {
  const mnemonic = Mnemonic.fromPhrase(developmentMnemonic);
  return Array.from({ length: accountCount }, (_, index) => {
    const wallet = HDNodeWallet.fromMnemonic(mnemonic, `m/44'/60'/0'/0/${index}`);
    return { address: wallet.address, privateKey: wallet.privateKey };
  });
}
