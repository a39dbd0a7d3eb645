import type { JsonRpcProvider } from 'ethers';

/** Whether the node is anvil, which gives gas away and mines when it is told to. */
export async function isDevelopmentNode(provider: JsonRpcProvider): Promise<boolean> {
  const version = (await provider.send('web3_clientVersion', [])) as string;
  return version.toLowerCase().startsWith('anvil');
}
