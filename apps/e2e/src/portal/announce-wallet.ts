/** A mark of its own for each name, as a data URL as EIP-6963 wants it. */
const ICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 96 96"><circle cx="48" cy="48" r="40" fill="#7048e8"/></svg>',
)}`;

/**
 * A script for the page, run before its own: a provider (EIP-1193) that hands every request to the test, announced as EIP-6963 says,
 * whenever it is asked for.
 */
export function announceWallet(name: string): string {
  const info = { uuid: crypto.randomUUID(), name, icon: ICON, rdns: 'example.test.wallet' };
  return `(() => {
  const listeners = new Map();
  const provider = {
    async request({ method, params }) {
      const answer = await window.testWalletRequest({ method, params });
      if (!answer.error) return answer.result;
      throw Object.assign(new Error(answer.error.message), { code: answer.error.code });
    },
    on(event, listener) {
      listeners.set(event, [...(listeners.get(event) ?? []), listener]);
      return provider;
    },
    removeListener(event, listener) {
      listeners.set(event, (listeners.get(event) ?? []).filter((other) => other !== listener));
      return provider;
    },
  };
  window.testWalletEmit = (event, value) => (listeners.get(event) ?? []).forEach((listener) => listener(value));
  const detail = Object.freeze({ info: Object.freeze(${JSON.stringify(info)}), provider });
  const announce = () => window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }));
  window.addEventListener('eip6963:requestProvider', announce);
  announce();
})();`;
}
