import type { components } from '../api/generated/schema';
import type { Tone } from '../design/status-badge';
import { showDuration } from '../design/time';

export type Offer = components['schemas']['OfferStatusReply'];

interface StateWords {
  tone: Tone;
  label: string;
}

const STATES: Record<string, StateWords> = {
  certifying: { tone: 'busy', label: 'Being certified' },
  refused: { tone: 'bad', label: 'Refused' },
  live: { tone: 'good', label: 'Live' },
  suspended: { tone: 'warning', label: 'Suspended' },
  expired: { tone: 'quiet', label: 'Expired' },
  withdrawn: { tone: 'quiet', label: 'Withdrawn' },
};

export function stateWords(state: string): StateWords {
  return STATES[state] ?? { tone: 'quiet', label: state };
}

/** Why an offer does not serve and what ends that; undefined where the market's own words are all there is to say. */
const REASONS: Record<string, string> = {
  operator: 'An operator took it off the market. Only they can let it back.',
  provider_suspended: 'An operator suspended this provider, so none of its offers serves.',
  price_above_ceiling: 'It asks more than the market now allows for this model. Sign a lower price.',
  no_heartbeat: 'The endpoint stopped answering. The offer comes back by itself once it answers again.',
  failing:
    'Too many recent requests failed. It is tested again, less and less often; once that passes, it is back.',
  invalid_output:
    'Too many replies were not what was asked for. It is tested again, less and less often; once that passes, it is back.',
  usage_inflated:
    'It claimed more tokens than it wrote. It is tested again, less and less often; once that passes, it is back.',
  drift: 'It no longer passes the tests that it passed before. Once it passes them again, it is back.',
  certification_expired: 'Its certification could not be renewed in time. A new one is made by itself.',
  expired: 'The version that you signed has ended. Sign a new one to sell again.',
};

export function reasonWords(code: string): string | undefined {
  return REASONS[code];
}

/** Whether probes of it wait or run. */
export function isCertifying({ certification }: Pick<Offer, 'certification'>): boolean {
  return certification?.status === 'queued' || certification?.status === 'running';
}

/** `3 of 16 probes`, `waiting for its turn`. */
export function progressWords({ status, done, total }: NonNullable<Offer['certification']>): string {
  if (status === 'queued') return 'waiting for its turn';
  return `${done} of ${total} probes`;
}

/** How it has been doing of late, as far as it is known. */
export function healthParts(health: Offer['health']): string[] {
  const { error_rate: errors, invalid_rate: invalid } = health;
  const { first_token_ms: firstToken, tokens_per_second: speed } = health;
  return [
    ...(firstToken === undefined ? [] : [`${showDuration(firstToken)} to first token`]),
    ...(speed === undefined ? [] : [`${Math.round(speed)} tokens/s`]),
    ...(errors === undefined ? [] : [`${percent(errors)} errors`]),
    ...(invalid === undefined || invalid === 0 ? [] : [`${percent(invalid)} invalid`]),
  ];
}

/** One decimal unless it is none or all. */
function percent(share: number): string {
  const shown = (share * 100).toFixed(1).replace(/\.0$/, '');
  return `${shown} %`;
}
