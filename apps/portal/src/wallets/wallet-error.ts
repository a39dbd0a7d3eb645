/** What went wrong with a wallet, in words for its owner. */
export class WalletError extends Error {
  override readonly name = 'WalletError';

  constructor(
    message: string,
    /** `rejected`: the owner said no, which is no failure; `account`: it speaks for another account. */
    readonly kind: WalletErrorKind,
    options?: { cause?: unknown },
  ) {
    super(message, options);
  }
}

type WalletErrorKind =
  'rejected' | 'busy' | 'locked' | 'chain' | 'account' | 'funds' | 'reverted' | 'unknown';

/** EIP-1193 and EIP-1474 codes that mean the same for every wallet. */
const BY_CODE: Record<number, [WalletErrorKind, string]> = {
  4001: ['rejected', 'You declined in your wallet. Nothing was signed or sent.'],
  4100: ['locked', 'The wallet has not allowed this page to use that account. Unlock it and connect again.'],
  4200: ['unknown', 'This wallet cannot do that. Try another wallet.'],
  4900: ['chain', 'The wallet has lost its connection. Check its network, then try again.'],
  4901: [
    'chain',
    'The wallet is not connected to this network. Switch networks in the wallet, then try again.',
  ],
  4902: ['chain', 'The wallet does not know this network yet. Add it in the wallet, then try again.'],
  [-32002]: ['busy', 'The wallet is already asking you something. Open it and answer there.'],
};

const BY_TEXT: [RegExp, WalletErrorKind, string][] = [
  [/user (rejected|denied|cancell?ed)|rejected by user/i, 'rejected', BY_CODE[4001]?.[1] ?? ''],
  [
    /insufficient funds/i,
    'funds',
    'The wallet has too little of the network’s own coin (ETH) to pay the network fee. Add some, then try again.',
  ],
  [/revert/i, 'reverted', 'The network refused the transaction, so nothing was changed.'],
  [
    /nonce too low|already known|replacement/i,
    'busy',
    'Another transaction of this wallet is still under way. Wait for it, then try again.',
  ],
  [
    /failed to fetch|network ?error|timeout/i,
    'chain',
    'The network did not answer. Check your connection, then try again.',
  ],
];

/** What a wallet threw, which may be anything, as a WalletError. */
export function walletErrorOf(thrown: unknown): WalletError {
  if (thrown instanceof WalletError) return thrown;
  const known = codesOf(thrown)
    .map((code) => BY_CODE[code])
    .find((entry) => entry !== undefined);
  if (known !== undefined) return new WalletError(known[1], known[0], { cause: thrown });
  const text = textOf(thrown);
  const found = BY_TEXT.find(([pattern]) => pattern.test(text));
  if (found !== undefined) return new WalletError(found[2], found[1], { cause: thrown });
  return new WalletError('The wallet did not do it and gave no reason that we know. Try again.', 'unknown', {
    cause: thrown,
  });
}

/** Its own code, and that of what lies inside: wallets wrap one another's errors. */
function codesOf(thrown: unknown, depth = 0): number[] {
  if (!isRecord(thrown) || depth > 4) return [];
  const own = typeof thrown.code === 'number' ? [thrown.code] : [];
  const data = isRecord(thrown.data) ? thrown.data.originalError : undefined;
  return [...own, ...codesOf(thrown.cause, depth + 1), ...codesOf(data, depth + 1)];
}

function textOf(thrown: unknown, depth = 0): string {
  if (typeof thrown === 'string') return thrown;
  if (!isRecord(thrown) || depth > 4) return '';
  const { message, data, cause } = thrown;
  return [typeof message === 'string' ? message : '', textOf(data, depth + 1), textOf(cause, depth + 1)].join(
    ' ',
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
