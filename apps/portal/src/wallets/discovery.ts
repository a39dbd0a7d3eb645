import type { Eip1193Provider } from './eip1193';

/** A wallet that can be connected. */
export interface WalletOffer {
  /** Stable over reloads: its reverse domain name, or the development account. */
  id: string;
  name: string;
  /** A picture as a data: URL; undefined when it gave none that can be shown safely. */
  icon?: string;
  /** Its keys are known to everybody. */
  isDevelopment: boolean;
  open: () => Promise<Eip1193Provider>;
}

interface Announcement {
  info: { uuid: string; name: string; icon?: string; rdns: string };
  provider: Eip1193Provider;
}

interface DiscoveryWindow extends EventTarget {
  ethereum?: unknown;
}

/**
 * The wallets of this browser: they announce themselves (EIP-6963), also later than the page asks. One that only knows the old
 * way, `window.ethereum`, is offered when none announced itself.
 */
export class WalletDiscovery {
  private offers: readonly WalletOffer[] = [];
  private readonly listeners = new Set<() => void>();

  constructor(private readonly window: DiscoveryWindow) {
    window.addEventListener('eip6963:announceProvider', (event) =>
      this.add((event as CustomEvent<unknown>).detail),
    );
    window.dispatchEvent(new Event('eip6963:requestProvider'));
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** The same array until something changes. */
  readonly found = (): readonly WalletOffer[] => {
    if (this.offers.length === 0 && isProvider(this.window.ethereum)) {
      const provider = this.window.ethereum;
      this.offers = [
        {
          id: 'injected',
          name: 'Browser wallet',
          isDevelopment: false,
          open: () => Promise.resolve(provider),
        },
      ];
    }
    return this.offers;
  };

  private add(detail: unknown): void {
    if (!isAnnouncement(detail)) return;
    const { info, provider } = detail;
    const others = this.offers.filter((offer) => offer.id !== info.rdns && offer.id !== 'injected');
    const offer: WalletOffer = {
      id: info.rdns,
      name: [...info.name].slice(0, 60).join(''),
      icon: info.icon?.startsWith('data:image/') ? info.icon : undefined,
      isDevelopment: false,
      open: () => Promise.resolve(provider),
    };
    this.offers = [...others, offer].sort((one, other) => one.name.localeCompare(other.name));
    for (const listener of this.listeners) listener();
  }
}

function isAnnouncement(value: unknown): value is Announcement {
  if (typeof value !== 'object' || value === null) return false;
  const { info, provider } = value as Partial<Announcement>;
  return (
    typeof info?.name === 'string' &&
    typeof info.rdns === 'string' &&
    info.rdns !== '' &&
    isProvider(provider)
  );
}

function isProvider(value: unknown): value is Eip1193Provider {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as Partial<Eip1193Provider>).request === 'function'
  );
}
