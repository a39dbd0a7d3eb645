import type { Tone } from '../../design/status-badge';
import type { CollectedReceipt, Settlement } from './settlements';

interface StateWords {
  label: string;
  tone: Tone;
  /** What it means for the wallet, in a sentence. */
  meaning: string;
}

/** How a batch stands, as one of its payers sees it. */
export function stateWords({ state, own }: Pick<Settlement, 'state' | 'own'>): StateWords {
  if (own.failed) {
    return {
      label: 'Not collected',
      tone: 'bad',
      meaning:
        'The token refused: the balance or the approval did not suffice. The same is asked for again, with what comes after it; nothing is ' +
        'charged twice.',
    };
  }
  return STATES[state];
}

export const STATES: Readonly<Record<Settlement['state'], StateWords>> = {
  signed: {
    label: 'Sent',
    tone: 'busy',
    meaning: 'The transaction is signed and on its way; the chain does not show it yet.',
  },
  mined: {
    label: 'Confirming',
    tone: 'busy',
    meaning: 'The chain shows the transaction; some more blocks make it final.',
  },
  settled: {
    label: 'Settled',
    tone: 'good',
    meaning: 'Final. The contract keeps its root, so that every receipt in it can be checked by anybody.',
  },
};

const KINDS: Record<CollectedReceipt['kind'], string> = {
  usage: 'Request',
  refund: 'Refund',
  credit: 'Credit',
};

export function kindWords(kind: CollectedReceipt['kind']): string {
  return KINDS[kind];
}

const WEI_DIGITS = 18;

/** Wei as ether, exact: `210000000000000` is `0.00021`. */
export function showEther(wei: string): string {
  const digits = wei.padStart(WEI_DIGITS + 1, '0');
  const fraction = digits.slice(-WEI_DIGITS).replace(/0+$/, '');
  const whole = digits.slice(0, -WEI_DIGITS);
  return fraction === '' ? whole : `${whole}.${fraction}`;
}

/** The request that a receipt is about; undefined of a credit, which is about none. A refund’s part is `<id>.1`. */
export function requestOf({ kind, id }: CollectedReceipt): string | undefined {
  return kind === 'credit' ? undefined : id.replace(/\.\d+$/, '');
}
