import type { ReplyError } from './conversation';

/** What somebody can do about a refusal. */
interface Advice {
  words: string;
  links: { label: string; to: string }[];
  /** Asking the same again may do. */
  mayRetry: boolean;
  /** It was turned off, and is to be turned on first. */
  turnOn?: boolean;
}

const NOTHING_CHARGED = 'Nothing was charged.';

/** @param error as the gateway said it; `offline` when it said nothing */
export function adviceFor({ code, param }: ReplyError): Advice {
  switch (code) {
    case 'insufficient_quota':
      return {
        words: `${NOTHING_CHARGED} Approve more USDC, raise the playground’s budget, or lower max_tokens.`,
        links: [
          { label: 'Approve USDC', to: '/' },
          { label: 'Change the budget', to: '/keys' },
        ],
        mayRetry: true,
      };
    case 'no_capacity':
      return {
        words: `${NOTHING_CHARGED} Wait a moment, or choose another model.`,
        links: [],
        mayRetry: true,
      };
    case 'provider_output_invalid':
      return {
        words: `${NOTHING_CHARGED} Providers answered with what must not be delivered. Try again, or ask more simply.`,
        links: [],
        mayRetry: true,
      };
    case 'model_not_found':
      return {
        words: `${NOTHING_CHARGED} Choose another model.`,
        links: [{ label: 'See the models', to: '/models' }],
        mayRetry: false,
      };
    case 'feature_not_supported':
      return {
        words: `${NOTHING_CHARGED} ${param === undefined ? 'Ask without it' : `Ask without ${param}`}, or choose a model that can.`,
        links: [{ label: 'See the models', to: '/models' }],
        mayRetry: false,
      };
    case 'invalid_request':
      if (param === 'playground') return { words: NOTHING_CHARGED, links: [], mayRetry: false, turnOn: true };
      if (param === 'keys')
        return {
          words: `${NOTHING_CHARGED} Revoke a key that is not needed any more.`,
          links: [{ label: 'See the keys', to: '/keys' }],
          mayRetry: true,
        };
      return {
        words: `${NOTHING_CHARGED} Correct it in the settings or in what you wrote.`,
        links: [],
        mayRetry: true,
      };
    case 'account_suspended':
      return {
        words: `${NOTHING_CHARGED} Your balance or approval may be too low for what you owe.`,
        links: [{ label: 'See your balance', to: '/' }],
        mayRetry: false,
      };
    case 'invalid_api_key':
      return { words: `${NOTHING_CHARGED} Sign in again.`, links: [], mayRetry: true };
    case 'offline':
      return {
        words: 'What was written until then may have been charged; Usage says.',
        links: [{ label: 'See the usage', to: '/usage' }],
        mayRetry: true,
      };
    default:
      return {
        words: 'It is not your fault. Nothing was charged for what was not delivered.',
        links: [],
        mayRetry: true,
      };
  }
}
