import { TypedDataEncoder } from 'ethers';
import type { TypedDataField } from 'ethers';

/** The EIP-712 domain of a market: its chain, and its settlement contract. */
export interface SupplyDomain {
  name: string;
  version: string;
  chainId: number;
  verifyingContract: string;
}

/** A provider joins, or changes its name. */
export interface RegistrationMessage {
  provider: string;
  name: string;
  contact: string;
  nonce: number;
}

/** What a provider offers. Prices in base units (10^-6 USDC) per million tokens, `expiresAt` in Unix seconds. */
export interface OfferMessage {
  provider: string;
  model: string;
  bundle: string;
  profile: string;
  endpoint: string;
  upstreamModel: string;
  inputPricePerMtok: string;
  outputPricePerMtok: string;
  concurrency: number;
  contextLimit: number;
  firstTokenTimeoutMs: number;
  chunkTimeoutMs: number;
  expiresAt: number;
  nonce: number;
}

export interface WithdrawalMessage {
  provider: string;
  offerId: string;
  nonce: number;
}

/** Lets whoever has it read for a while what only the provider may; moments in Unix seconds. */
export interface AccessMessage {
  provider: string;
  issuedAt: number;
  expiresAt: number;
}

export interface SupplyMessages {
  Registration: RegistrationMessage;
  Offer: OfferMessage;
  Withdrawal: WithdrawalMessage;
  Access: AccessMessage;
}

/** The longest that an access may last, seconds. */
export const ACCESS_SECONDS = 600;

/** EIP-712 types by primary type, as wallets take them (`eth_signTypedData_v4`, without `EIP712Domain`). */
export const SUPPLY_TYPES: { readonly [K in keyof SupplyMessages]: Record<K, TypedDataField[]> } = {
  Registration: {
    Registration: [
      { name: 'provider', type: 'address' },
      { name: 'name', type: 'string' },
      { name: 'contact', type: 'string' },
      { name: 'nonce', type: 'uint64' },
    ],
  },
  Offer: {
    Offer: [
      { name: 'provider', type: 'address' },
      { name: 'model', type: 'string' },
      { name: 'bundle', type: 'string' },
      { name: 'profile', type: 'string' },
      { name: 'endpoint', type: 'string' },
      { name: 'upstreamModel', type: 'string' },
      { name: 'inputPricePerMtok', type: 'uint256' },
      { name: 'outputPricePerMtok', type: 'uint256' },
      { name: 'concurrency', type: 'uint32' },
      { name: 'contextLimit', type: 'uint32' },
      { name: 'firstTokenTimeoutMs', type: 'uint32' },
      { name: 'chunkTimeoutMs', type: 'uint32' },
      { name: 'expiresAt', type: 'uint64' },
      { name: 'nonce', type: 'uint64' },
    ],
  },
  Withdrawal: {
    Withdrawal: [
      { name: 'provider', type: 'address' },
      { name: 'offerId', type: 'string' },
      { name: 'nonce', type: 'uint64' },
    ],
  },
  Access: {
    Access: [
      { name: 'provider', type: 'address' },
      { name: 'issuedAt', type: 'uint64' },
      { name: 'expiresAt', type: 'uint64' },
    ],
  },
};

/** A signature is good on this chain and for this settlement contract alone (EIP-712, "domain separator"). */
export function supplyDomain(chainId: number, settlement: string): SupplyDomain {
  return { name: 'svc supply', version: '1', chainId, verifyingContract: settlement };
}

/**
 * The 32 bytes that are signed, in hex. Only the message's own fields count; others are left out.
 * @throws Error when a field is missing or does not fit its type
 */
export function supplyDigest<K extends keyof SupplyMessages>(
  domain: SupplyDomain,
  type: K,
  message: SupplyMessages[K],
): string {
  return TypedDataEncoder.hash(domain, SUPPLY_TYPES[type], message);
}
