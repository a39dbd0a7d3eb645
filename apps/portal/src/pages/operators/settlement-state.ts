import type { Tone } from '../../design/status-badge';

interface SettlementWords {
  tone: Tone;
  label: string;
  meaning: string;
}

const WORDS: Record<string, SettlementWords> = {
  idle: { tone: 'good', label: 'Running', meaning: 'What wallets owe is collected in batches, on time.' },
  in_flight: { tone: 'good', label: 'Collecting', meaning: 'A batch is on its way through the chain.' },
  starting: { tone: 'busy', label: 'Starting', meaning: 'The instance that answered has just started.' },
  standby: {
    ...{ tone: 'good', label: 'Standby' },
    meaning: 'The instance that answered waits; another one signs.',
  },
  off: {
    ...{ tone: 'warning', label: 'Off' },
    meaning: 'No signing key is configured where this was answered, so it collects nothing.',
  },
  paused: { tone: 'warning', label: 'Paused', meaning: 'Nothing is collected until somebody resumes it.' },
  fee_above_cap: {
    ...{ tone: 'warning', label: 'Waiting for lower fees' },
    meaning: 'The chain asks more per gas than is allowed; it goes on when that falls.',
  },
  insufficient_gas: {
    ...{ tone: 'bad', label: 'Out of gas' },
    meaning: 'The signing account has too little of the chain’s own coin. Fund it.',
  },
  token_stopped: {
    ...{ tone: 'bad', label: 'Token stopped' },
    meaning: 'The token contract is paused, so nothing can be pulled.',
  },
  conflict: {
    ...{ tone: 'bad', label: 'Conflict' },
    meaning: 'The chain shows a batch that the ledger does not know. Look at it before anything else.',
  },
  refused: { tone: 'bad', label: 'Refused', meaning: 'The settlement contract refuses the batch.' },
  wrong_chain: { tone: 'bad', label: 'Wrong chain', meaning: 'The chain behind the RPC URL is another one.' },
  nonce_used: {
    tone: 'busy',
    label: 'Sending again',
    meaning: 'The signer’s next number was taken; it signs anew.',
  },
  underpriced: {
    tone: 'busy',
    label: 'Raising the fee',
    meaning: 'The chain wants more for the transaction.',
  },
  unknown: {
    tone: 'warning',
    label: 'Not sent',
    meaning: 'The chain did not take the transaction; it is tried again.',
  },
  failing: { tone: 'warning', label: 'Failing', meaning: 'The last step failed; it is tried again.' },
};

/** A state in words; one that this page does not know yet is shown as it is. */
export function settlementState(state: string): SettlementWords {
  return (
    WORDS[state] ?? { tone: 'quiet', label: state, meaning: 'How the signing instance describes itself.' }
  );
}
