export type EnvironmentName = 'testnet' | 'production';

/**
 * In what the two environments differ (spec, introduction). Written down here a second time on purpose: what the service believes
 * of itself is what is tested.
 */
export interface EnvironmentTerms {
  readonly name: EnvironmentName;
  readonly title: string;
  readonly keyPrefix: string;
  readonly foreignKeyPrefix: string;
}

const TERMS: readonly EnvironmentTerms[] = [
  { name: 'testnet', title: 'test network', keyPrefix: 'svc_test_', foreignKeyPrefix: 'svc_live_' },
  { name: 'production', title: 'production', keyPrefix: 'svc_live_', foreignKeyPrefix: 'svc_test_' },
];

/** The environment a key is of (spec 5); undefined for what is no key. */
export function environmentOf(apiKey: string): EnvironmentTerms | undefined {
  return TERMS.find(({ keyPrefix }) => apiKey.startsWith(keyPrefix));
}

export function environmentNamed(name: string): EnvironmentTerms | undefined {
  return TERMS.find((terms) => terms.name === name);
}
