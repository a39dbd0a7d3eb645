/** What a chain answers to `eth_chainId` (EIP-695), or undefined when it does not answer within `timeoutMs`. */
export async function readChainId(rpcUrl: string, timeoutMs: number): Promise<number | undefined> {
  try {
    const response = await fetch(rpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }),
      signal: AbortSignal.timeout(timeoutMs),
    });
    const chainId = Number(((await response.json()) as { result?: string }).result);
    return Number.isSafeInteger(chainId) && chainId > 0 ? chainId : undefined;
  } catch {
    return undefined;
  }
}
