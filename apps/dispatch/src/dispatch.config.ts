import { Env, ServiceConfig } from '@svc/config';
import { IsCredentialPrivateKey } from '@svc/credential-seal';
import { IsResponseKey } from '@svc/response-cipher';
import { IsIn, IsInt, IsOptional, Max, Min, ValidateBy } from 'class-validator';
import { parseNetworks } from './address-rules';

export class DispatchConfig extends ServiceConfig {
  /**
   * Comma separated CIDRs of networks that are not public and yet may hold providers, e.g. `127.0.0.0/8` on a
   * development machine. Everything else that is private, loopback or link-local is refused.
   */
  @Env('PROVIDER_ALLOWED_NETWORKS')
  @ValidateBy({
    name: 'isNetworkList',
    validator: {
      validate: isNetworkList,
      defaultMessage: () => 'must be networks in CIDR notation, comma separated',
    },
  })
  providerAllowedNetworks: string = '';

  /** How long a gateway may take to say that an outcome reached its client before the charge is taken back. */
  @Env('DELIVERY_NOTICE_MS')
  @IsInt()
  @Min(100)
  @Max(30_000)
  deliveryNoticeMs: number = 5_000;

  /** How long a request may wait for a place where every offer that could serve it is busy, ms. */
  @Env('QUEUE_PATIENCE_MS')
  @IsInt()
  @Min(0)
  @Max(30_000)
  queuePatienceMs: number = 2_000;

  /** `on`: when an offer's first token is later than nearly always, the next offer of the plan is asked beside it. */
  @Env('HEDGING')
  @IsIn(['off', 'on'])
  hedging: 'off' | 'on' = 'off';

  /** Replies of idempotent requests are encrypted under it: 32 bytes in hexadecimal or base64. The gateway has it too. */
  @Env('RESPONSE_KEY')
  @IsResponseKey()
  responseKey!: string;

  /** The key before it, while replies stand that were encrypted under that: they do for 24 hours. */
  @Env('RESPONSE_KEY_PREVIOUS')
  @IsOptional()
  @IsResponseKey()
  previousResponseKey?: string;

  /** Opens the credentials of providers' endpoints; the gateway has the public key to it. 32 bytes in base64url. */
  @Env('CREDENTIAL_KEY')
  @IsCredentialPrivateKey()
  credentialKey!: string;

  /** The key before it, while credentials stand that were sealed for that. */
  @Env('CREDENTIAL_KEY_PREVIOUS')
  @IsOptional()
  @IsCredentialPrivateKey()
  previousCredentialKey?: string;
}

function isNetworkList(value: unknown): boolean {
  try {
    parseNetworks(String(value));
    return true;
  } catch {
    return false;
  }
}
