import { Injectable } from '@nestjs/common';
import type { FailureReason } from '@svc/contracts';
import { CredentialOpener, UnreadableCredentialError } from '@svc/credential-seal';
import { DispatchConfig } from '../dispatch.config';
import { endpointOf } from './endpoint';
import type { Endpoint } from './endpoint';

/** An endpoint as a provider signed it, on the word of whoever wrote it down. */
interface SignedEndpoint {
  /** The provider's wallet, in lower case. */
  provider: string;
  endpoint: string;
  /** Sealed for dispatch, if it is a string. */
  credential?: unknown;
}

/** An endpoint that can be called, or why it cannot. */
export type OpenedEndpoint =
  | { target: Endpoint; problem?: undefined }
  | { target?: undefined; problem: Extract<FailureReason, 'endpoint_invalid' | 'credential_unreadable'> };

/** What a header's value may hold (RFC 9110, section 5.5), without the bytes that servers read differently. */
const HEADER_TEXT = /^[\x20-\x7e]+$/;

/** Reads what providers signed, their credentials included. Dispatch alone has the key to them. */
@Injectable()
export class EndpointOpener {
  private readonly opener: CredentialOpener;

  constructor({ credentialKey, previousCredentialKey }: DispatchConfig) {
    const keys = [credentialKey, ...(previousCredentialKey === undefined ? [] : [previousCredentialKey])];
    this.opener = new CredentialOpener(...keys);
  }

  /** Whether it has a credential that opens with `CREDENTIAL_KEY_PREVIOUS` alone. */
  needsFormerKey({ credential }: SignedEndpoint): boolean {
    return typeof credential === 'string' && this.opener.isForFormerKey(credential);
  }

  /** Costs some 100 µs where there is a credential: not for every request. */
  open(signed: SignedEndpoint): OpenedEndpoint {
    const target = endpointOf(signed.endpoint);
    if (!target) return { problem: 'endpoint_invalid' };
    if (signed.credential === undefined) return { target };
    const credential = this.credentialOf(signed, signed.credential);
    // Never called without it: the server would answer for a stranger, if it answered.
    if (credential === undefined) return { problem: 'credential_unreadable' };
    return { target: { ...target, authorization: `Bearer ${credential}` } };
  }

  private credentialOf({ provider, endpoint }: SignedEndpoint, sealed: unknown): string | undefined {
    if (typeof sealed !== 'string') return undefined;
    try {
      const credential = this.opener.open({ provider, endpoint }, sealed);
      return HEADER_TEXT.test(credential) ? credential : undefined;
    } catch (error) {
      if (error instanceof UnreadableCredentialError) return undefined;
      throw error;
    }
  }
}
