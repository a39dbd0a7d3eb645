import { shorten } from '../../design/address';

/** Something that an operator can do to something. */
export interface OperatorAct {
  /** The dialog's title, such as "Suspend Example Compute". */
  title: string;
  /** What happens when it is done, in a sentence or two. */
  consequence: string;
  /** The verb on the button. */
  verb: string;
  /** What is said once it is done. */
  done: string;
  /** Below `/portal/api/operators`. */
  path: string;
  danger: boolean;
}

interface NamedProvider {
  provider: string;
  /** The provider's own word. */
  name: string;
}

export function suspendProvider({ provider, name }: NamedProvider): OperatorAct {
  return {
    title: `Suspend ${name}`,
    consequence:
      'All its offers leave the market at once and serve no new requests. Requests under way finish. It cannot sign offers until it is reinstated.',
    ...{ verb: 'Suspend provider', done: `${name} is suspended.`, danger: true },
    path: `/providers/${provider}/suspend`,
  };
}

export function reinstateProvider({ provider, name }: NamedProvider): OperatorAct {
  return {
    title: `Reinstate ${name}`,
    consequence: 'Its offers serve again, those that nothing else speaks against.',
    ...{ verb: 'Reinstate provider', done: `${name} is back.`, danger: false },
    path: `/providers/${provider}/reinstate`,
  };
}

interface NamedOffer {
  offer_id: string;
  model: string;
}

export function suspendOffer({ offer_id: id, model }: NamedOffer): OperatorAct {
  return {
    title: `Suspend this offer of ${model}`,
    consequence: 'It serves no new requests until it is reinstated. Requests under way finish.',
    ...{ verb: 'Suspend offer', done: 'The offer is suspended.', danger: true },
    path: `/offers/${id}/suspend`,
  };
}

export function reinstateOffer({ offer_id: id, model }: NamedOffer): OperatorAct {
  return {
    title: `Reinstate this offer of ${model}`,
    consequence: 'It serves again, unless something else speaks against it.',
    ...{ verb: 'Reinstate offer', done: 'The offer is back.', danger: false },
    path: `/offers/${id}/reinstate`,
  };
}

export function certifyOffer({ offer_id: id, model }: NamedOffer): OperatorAct {
  return {
    title: `Certify this offer of ${model} again`,
    consequence:
      'Its newest version goes through all probes again, which the provider is not paid for. What is certified serves on meanwhile; if a required probe fails, it is refused.',
    ...{ verb: 'Certify again', done: 'The certification is queued.', danger: false },
    path: `/offers/${id}/certify`,
  };
}

export function suspendWallet(wallet: string): OperatorAct {
  return {
    title: `Suspend ${shorten(wallet)}`,
    consequence:
      'All its API keys stop working at once. Requests under way finish and are charged; what it owes is still collected.',
    ...{ verb: 'Suspend wallet', done: 'The wallet is suspended.', danger: true },
    path: `/wallets/${wallet}/suspend`,
  };
}

export function reinstateWallet(wallet: string, owes: boolean): OperatorAct {
  return {
    title: `Reinstate ${shorten(wallet)}`,
    consequence: owes
      ? 'Your suspension ends. What it owes could not be collected, so it still cannot spend until that is paid.'
      : 'Its API keys work again.',
    ...{ verb: 'Reinstate wallet', done: 'The wallet is reinstated.', danger: false },
    path: `/wallets/${wallet}/reinstate`,
  };
}

export const pauseSettlement: OperatorAct = {
  title: 'Pause settlement',
  consequence:
    'Nothing more is signed or sent to the chain until it is resumed. Requests are served on, up to the cap on what each wallet may owe.',
  ...{ verb: 'Pause settlement', done: 'Settlement is paused.', danger: true },
  path: '/settlement/pause',
};

export const resumeSettlement: OperatorAct = {
  title: 'Resume settlement',
  consequence:
    'Every pause ends, also one that reconciliation made, and wallets are collected from again. What still differs pauses it anew.',
  ...{ verb: 'Resume settlement', done: 'Settlement goes on.', danger: false },
  path: '/settlement/resume',
};
